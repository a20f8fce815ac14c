// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/reference/linear_weight_int8.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

// Linear layers with int8 weights and float32 activations. Lanes are channels, so that products are
// added in the order of k on every instruction set. With few rows, reading the weights takes most
// of the time; they are converted to floats in registers. For each block of channels:
//
//   scales, biases   a float per channel
//   weights          for each k, a byte per channel

namespace ctq::kernels::simd {

/// The layout of packed weights. Without vectors, a block is four channels.
template <class Isa>
struct weight_int8_layout {
  static constexpr int lanes = [] {
    if constexpr (vectorized<Isa>) return float_lanes<Isa>;
    return 1;
  }();
  static constexpr int vectors = 4;
  static constexpr int width = lanes * vectors;

  [[nodiscard]] static constexpr int blocks(const linear_shape& s) {
    return ceil_div(s.out_features, width);
  }
  /// Registers of a block; the last one may have fewer.
  [[nodiscard]] static constexpr int vectors_of(const linear_shape& s, int block) {
    return std::min(vectors, ceil_div(s.out_features - block * width, lanes));
  }
  [[nodiscard]] static constexpr std::size_t block_bytes(const linear_shape& s, int vectors) {
    const auto channels = static_cast<std::size_t>(vectors * lanes);
    return channels * (2 * sizeof(float) + static_cast<std::size_t>(s.in_features));
  }
};

/// Bytes of the packed weights, aligned to 64.
template <class Isa>
[[nodiscard]] constexpr std::size_t linear_weight_int8_packed_bytes(const linear_shape& shape) {
  using layout = weight_int8_layout<Isa>;
  const int blocks = layout::blocks(shape);
  if (blocks == 0) return 0;
  const int last = layout::vectors_of(shape, blocks - 1);
  return packing::padded(static_cast<std::size_t>(blocks - 1) *
                             layout::block_bytes(shape, layout::vectors) +
                         layout::block_bytes(shape, last));
}

/// weight [N,K] · scale [N] · bias [N] or null
template <class Isa>
void pack_linear_weight_int8(const linear_shape& shape, const std::int8_t* weight,
                             const float* scale, const float* bias, std::byte* packed) {
  using layout = weight_int8_layout<Isa>;
  std::memset(packed, 0, linear_weight_int8_packed_bytes<Isa>(shape));
  for (int block = 0; block < layout::blocks(shape); ++block) {
    const int vectors = layout::vectors_of(shape, block);
    const auto width = static_cast<std::size_t>(vectors * layout::lanes);
    const int first = block * layout::width;
    const auto used =
        static_cast<std::size_t>(std::min(vectors * layout::lanes, shape.out_features - first));
    std::memcpy(packed, scale + first, used * sizeof(float));
    if (bias != nullptr) {
      std::memcpy(packed + width * sizeof(float), bias + first, used * sizeof(float));
    }
    packed += 2 * width * sizeof(float);
    for (int k = 0; k < shape.in_features; ++k, packed += width) {
      for (std::size_t i = 0; i < used; ++i) {
        const std::ptrdiff_t n = first + static_cast<std::ptrdiff_t>(i);
        packed[i] = static_cast<std::byte>(weight[n * shape.in_features + k]);
      }
    }
  }
}

/// Rows x Vectors registers of outputs for each of Blocks blocks, which are `block_bytes` apart,
/// `used` channels of them.
template <vectorized Isa, int Rows, int Vectors, int Blocks>
[[gnu::always_inline]] inline void weight_int8_tile(const linear_shape& s, const float* in,
                                                    const std::byte* block, std::size_t block_bytes,
                                                    float* out, int used) noexcept {
  using floats = batch<Isa, float>;
  constexpr int lanes = float_lanes<Isa>;
  const float* scales[Blocks];
  const std::int8_t* weights[Blocks];
  floats acc[Blocks][Rows][Vectors];
  const auto each = [&](const auto& f) __attribute__((always_inline)) {
    unroll<Blocks, Vectors>([&](auto b, auto v) __attribute__((always_inline)) { f(b, v); });
  };
  unroll<Blocks>([&](auto b) __attribute__((always_inline)) {
    scales[b] = reinterpret_cast<const float*>(block + b * block_bytes);
    weights[b] = reinterpret_cast<const std::int8_t*>(scales[b] + 2 * Vectors * lanes);
  });
  each([&](auto b, auto v) __attribute__((always_inline)) {
    unroll<Rows>([&](auto m) __attribute__((always_inline)) { acc[b][m][v] = floats(0.0F); });
  });
  for (int k = 0; k < s.in_features; ++k) {
    floats x[Rows];
    unroll<Rows>([&](auto m) __attribute__((always_inline)) {
      x[m] = rounded<Isa>(floats(in[m * std::ptrdiff_t{s.in_features} + k]));  // loaded once
    });
    each([&](auto b, auto v) __attribute__((always_inline)) {
      const floats w = to_float<Isa>(widen<Isa>(weights[b] + v * lanes));
      unroll<Rows>([&](auto m) __attribute__((always_inline)) {
        acc[b][m][v] = fma<Isa>(x[m], w, acc[b][m][v]);
      });
    });
    unroll<Blocks>([&](auto b) __attribute__((always_inline)) { weights[b] += Vectors * lanes; });
  }
  each([&](auto b, auto v) __attribute__((always_inline)) {
    const int first = (b * Vectors + v) * lanes;
    const int count = std::min(used - first, lanes);
    unroll<Rows>([&](auto m) __attribute__((always_inline)) {
      const floats y = fma<Isa>(acc[b][m][v], floats::load_unaligned(scales[b] + v * lanes),
                                floats::load_unaligned(scales[b] + (Vectors + v) * lanes));
      float* const to = out + m * std::ptrdiff_t{s.out_features} + first;
      if (count == lanes) {
        y.store_unaligned(to);
      } else {
        float kept[lanes];
        y.store_unaligned(kept);
        std::memcpy(to, kept, static_cast<std::size_t>(count) * sizeof(float));
      }
    });
  });
}

/// All rows of `used` channels, without vectors.
template <class Isa>
inline void weight_int8_channels(const linear_shape& s, const float* in, const std::byte* block,
                                 float* out, int used) noexcept {
  const auto* const scales = reinterpret_cast<const float*>(block);
  const auto* const weights = reinterpret_cast<const std::int8_t*>(scales + 2 * used);
  for (int m = 0; m < s.rows; ++m, in += s.in_features, out += s.out_features) {
    for (int n = 0; n < used; ++n) {
      float acc = 0.0F;
      for (int k = 0; k < s.in_features; ++k) {
        acc = ::fmaf(in[k], static_cast<float>(weights[std::ptrdiff_t{k} * used + n]), acc);
      }
      out[n] = ::fmaf(acc, scales[n], scales[used + n]);
    }
  }
}

/// As reference::linear_weight_int8, bit for bit (of NaN, only that it is one), with weights from
/// pack_linear_weight_int8<Isa>.
///
/// Shapes    in [M,K] · out [M,N]
/// Requires  the operands do not overlap · packed aligned to 64
template <class Isa>
[[gnu::noinline]] void linear_weight_int8(const linear_shape& shape, const float* in,
                                          const std::byte* packed, float* out) noexcept {
  using layout = weight_int8_layout<Isa>;
  const int blocks = layout::blocks(shape);
  int block = 0;
  if constexpr (vectorized<Isa>) {
    // One row takes two blocks at once, two streams of weights (AVX-512, Zen 4: 1x4096x4096 from L3
    // 630 to 680 instead of 750 to 810 us, 1x1024x1024 from L2 36.7 instead of 38.2).
    constexpr std::integral_constant<int, 2> two;
    const std::size_t bytes = layout::block_bytes(shape, layout::vectors);
    const int whole = shape.rows == 1 ? shape.out_features / layout::width : 0;
    for (; block + two <= whole; block += two) {
      weight_int8_tile<Isa, 1, layout::vectors, two>(
          shape, in, packed, bytes, out + block * layout::width, two * layout::width);
      packed += two * bytes;
    }
  }
  for (; block < blocks; ++block) {
    const int first = block * layout::width;
    const int used = shape.out_features - first;
    if constexpr (vectorized<Isa>) {
      constexpr int rows_at_once = isa::includes<Isa, isa::avx512> ? 4 : 2;
      with_constant<layout::vectors>(
          layout::vectors_of(shape, block), [&](auto vectors) __attribute__((always_inline)) {
            const auto rows = [&](auto count, int m) __attribute__((always_inline)) {
              weight_int8_tile<Isa, count, vectors, 1>(
                  shape, in + std::ptrdiff_t{m} * shape.in_features, packed, 0,
                  out + std::ptrdiff_t{m} * shape.out_features + first, used);
            };
            int m = 0;
            for (; m + rows_at_once <= shape.rows; m += rows_at_once) {
              rows(std::integral_constant<int, rows_at_once>{}, m);
            }
            with_constant<rows_at_once - 1>(
                shape.rows - m, [&](auto count) __attribute__((always_inline)) { rows(count, m); });
          });
    } else {
      weight_int8_channels<Isa>(shape, in, packed, out + first, layout::vectors_of(shape, block));
    }
    packed += layout::block_bytes(shape, layout::vectors_of(shape, block));
  }
}

}  // namespace ctq::kernels::simd
