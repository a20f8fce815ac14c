// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ctq/kernels/reference/linear_weight_int4.hpp"
#include "ctq/kernels/simd/convert.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/int4_dot.hpp"
#include "ctq/kernels/simd/unroll.hpp"

// Linear layers with weights of four bits. For few rows the time is that of reading the weights, so
// they stay four bits wide until they are in a register, and lie in the order in which they are
// read: for each block of channels, for each group,
//
//   zero points   a byte a channel, as long as a register
//   scales        a float a channel
//   lines         of int4_dot: eight values a channel, one register after the other
//
// Groups are padded to whole lines; the activations are copied to match, with zeros.

namespace ctq::kernels::simd {

/// Where things are in a layer's packed weights and in its workspace.
template <class Dot>
struct int4_layout {
  int in_features, out_features, group_size;

  static constexpr int line_values = 8;  // of a channel
  static constexpr std::size_t vec_bytes = Dot::lanes * sizeof(std::int32_t);
  static constexpr int width = Dot::lanes * Dot::vectors;  // channels of a block

  [[nodiscard]] constexpr int groups() const { return ceil_div(in_features, group_size); }
  [[nodiscard]] constexpr int length(int group) const {
    return std::min(group_size, in_features - group * group_size);
  }
  [[nodiscard]] constexpr int lines(int group) const {
    return ceil_div(length(group), line_values);
  }
  [[nodiscard]] constexpr std::size_t all_lines() const {
    if (groups() == 0) return 0;
    return static_cast<std::size_t>(groups() - 1) * static_cast<std::size_t>(lines(0)) +
           static_cast<std::size_t>(lines(groups() - 1));
  }
  [[nodiscard]] constexpr int blocks() const { return ceil_div(out_features, width); }
  [[nodiscard]] constexpr int vectors(int block) const {
    return std::min(Dot::vectors, ceil_div(out_features - block * width, Dot::lanes));
  }
  [[nodiscard]] constexpr std::size_t packed_bytes() const {
    std::size_t of_blocks = 0;
    for (int block = std::max(blocks() - 1, 0); block < blocks(); ++block) {
      const auto whole = static_cast<std::size_t>(block);
      of_blocks = whole * block_bytes(Dot::vectors) + block_bytes(vectors(block));
    }
    return round_up(of_blocks, packed_alignment);
  }
  [[nodiscard]] constexpr std::size_t block_bytes(int vectors) const {
    const auto n = static_cast<std::size_t>(vectors);
    return vec_bytes * ((1 + n) * static_cast<std::size_t>(groups()) + n * all_lines());
  }

  /// Of one row in the workspace: activations, then the sum of each group.
  [[nodiscard]] constexpr std::size_t row_sums() const { return round_up(all_lines() * 8, 64); }
  [[nodiscard]] constexpr std::size_t row_bytes() const {
    return round_up(row_sums() + static_cast<std::size_t>(groups()) * sizeof(std::int32_t), 64);
  }
};

/// Bytes of the packed weights, aligned to 64.
template <class Isa>
[[nodiscard]] constexpr std::size_t linear_weight_int4_packed_bytes(const linear_shape& shape,
                                                                    int group_size) {
  return int4_layout<int4_dot<Isa>>{shape.in_features, shape.out_features, group_size}
      .packed_bytes();
}

/// Bytes of the workspace, aligned to 64.
template <class Isa>
[[nodiscard]] constexpr std::size_t linear_weight_int4_workspace_bytes(const linear_shape& shape,
                                                                       int group_size) {
  const int4_layout<int4_dot<Isa>> layout{shape.in_features, shape.out_features, group_size};
  return static_cast<std::size_t>(shape.rows) * layout.row_bytes();
}

/// Writes the weights in the kernel's order.
template <class Isa>
void pack_linear_weight_int4(const linear_shape& shape, const int4_weights& weight,
                             std::byte* packed) {
  using Dot = int4_dot<Isa>;
  const int4_layout<Dot> layout{shape.in_features, shape.out_features, weight.group_size};
  std::memset(packed, 0, layout.packed_bytes());
  for (int block = 0; block < layout.blocks(); ++block) {
    const int vectors = layout.vectors(block);
    const int used = std::min(vectors * Dot::lanes, shape.out_features - block * layout.width);
    for (int group = 0; group < layout.groups(); ++group) {
      std::byte* const scales = packed + layout.vec_bytes;
      std::byte* const lines = scales + static_cast<std::size_t>(vectors) * layout.vec_bytes;
      for (int i = 0; i < used; ++i) {
        const int n = block * layout.width + i;
        const std::ptrdiff_t at = std::ptrdiff_t{n} * layout.groups() + group;
        packed[i] =
            static_cast<std::byte>(reference::int4_zero_point(weight, layout.groups(), n, group));
        std::memcpy(scales + i * std::ptrdiff_t{sizeof(float)}, weight.scale + at, sizeof(float));
        for (int j = 0; j < layout.length(group); ++j) {
          const int value =
              reference::int4_value(weight, shape.in_features, n, group * weight.group_size + j);
          const std::ptrdiff_t line = j / 8 * std::ptrdiff_t{vectors * Dot::lanes} + i;
          lines[line * 4 + j % 4] |= static_cast<std::byte>(value << (j % 8 / 4 * 4));
        }
      }
      packed = lines + static_cast<std::size_t>(layout.lines(group)) *
                           static_cast<std::size_t>(vectors) * layout.vec_bytes;
    }
  }
}

/// One row of activations as the lines want them, and the sum of each group.
template <class Dot>
[[gnu::always_inline]] inline void copy_row(const int4_layout<Dot>& layout, const std::int8_t* in,
                                            std::byte* row) noexcept {
  auto* to = reinterpret_cast<std::int8_t*>(row);
  std::byte* sums = row + layout.row_sums();
  for (int group = 0; group < layout.groups(); ++group, sums += sizeof(std::int32_t)) {
    const int length = layout.length(group);
    std::int32_t sum = 0;
    for (int k = 0; k < length; ++k) sum += in[k];
    std::memcpy(sums, &sum, sizeof sum);
    std::memcpy(to, in, static_cast<std::size_t>(length));
    const int padded = layout.lines(group) * layout.line_values;
    std::memset(to + length, 0, static_cast<std::size_t>(padded - length));
    in += length;
    to += padded;
  }
}

/// Registers of floats beside those of Dot, and what becomes of the sums of a group.
template <class Isa, class Dot>
struct int4_floats {
  using vec = float;
  static vec load(const void* p) {
    vec x;
    std::memcpy(&x, p, sizeof x);
    return x;
  }
  static vec of(float x) { return x; }
  static vec fused(vec x, vec y, vec z) { return ::fmaf(x, y, z); }
  static void store(vec x, float* out, int) { *out = x; }
  /// acc less the zero points times the sum of activations.
  static vec shifted(std::int32_t acc, const std::byte* zero_points, std::int32_t sum) {
    return static_cast<float>(acc - static_cast<std::int32_t>(*zero_points) * sum);
  }
};

template <vectorized Isa, class Dot>
requires(Dot::lanes > 1) struct int4_floats<Isa, Dot> {
  using vec = batch<Isa, float>;
  [[gnu::always_inline]] static vec load(const void* p) {
    return vec::load_unaligned(static_cast<const float*>(p));
  }
  [[gnu::always_inline]] static vec of(float x) { return vec(x); }
  [[gnu::always_inline]] static vec fused(vec x, vec y, vec z) { return fma<Isa>(x, y, z); }
  [[gnu::always_inline]] static void store(const vec& x, float* out, int count) {
    if (count >= Dot::lanes) {
      x.store_unaligned(out);
    } else {
      float kept[Dot::lanes];
      x.store_unaligned(kept);
      std::memcpy(out, kept, static_cast<std::size_t>(count) * sizeof(float));
    }
  }
  [[gnu::always_inline]] static vec shifted(typename Dot::vec acc, const std::byte* zero_points,
                                            std::int32_t sum) {
    using integers = batch<Isa, std::int32_t>;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(zero_points);
    return to_float<Isa>(integers(acc) - widen<Isa>(bytes) * integers(sum));
  }
};

/// Rows x Vectors registers of outputs: all groups of one block, `used` channels of it.
template <class Isa, class Dot, int Rows, int Vectors>
[[gnu::always_inline]] inline void int4_tile(const int4_layout<Dot>& layout, const std::byte* block,
                                             const std::byte* in, const float* in_scale,
                                             const float* bias, float* out, int used) noexcept {
  using vec = typename Dot::vec;
  using floats = int4_floats<Isa, Dot>;
  constexpr std::ptrdiff_t vec_bytes = int4_layout<Dot>::vec_bytes;
  const auto row_bytes = static_cast<std::ptrdiff_t>(layout.row_bytes());
  const auto sums_at = static_cast<std::ptrdiff_t>(layout.row_sums());
  typename floats::vec total[Rows][Vectors];
  unroll<Rows>([&](auto m) __attribute__((always_inline)) {
    unroll<Vectors>([&](auto v) __attribute__((always_inline)) { total[m][v] = floats::of(0.0F); });
  });

  const std::byte* x = in;
  for (int group = 0; group < layout.groups(); ++group) {
    const std::byte* const header = block;
    block += (1 + Vectors) * vec_bytes;
    vec acc[Rows][Vectors]{};
    for (int lines = layout.lines(group); lines > 0; lines -= Dot::lines) {
      vec sums[Rows][Vectors]{};
      const int now = std::min(lines, Dot::lines);
      for (int line = 0; line < now; ++line, x += layout.line_values) {
        vec low[Vectors], high[Vectors];
        unroll<Vectors>([&](auto v) __attribute__((always_inline)) {
          const vec both = Dot::load(block + v * vec_bytes);
          low[v] = Dot::low(both);
          high[v] = Dot::high(both);
        });
        unroll<Rows>([&](auto m) __attribute__((always_inline)) {
          const vec a = Dot::broadcast(x + m * row_bytes);
          const vec b = Dot::broadcast(x + m * row_bytes + 4);
          unroll<Vectors>([&](auto v) __attribute__((always_inline)) {
            sums[m][v] = Dot::add(Dot::add(sums[m][v], low[v], a), high[v], b);
          });
        });
        block += Vectors * vec_bytes;
      }
      unroll<Rows>([&](auto m) __attribute__((always_inline)) {
        unroll<Vectors>([&](auto v) __attribute__((always_inline)) {
          acc[m][v] = Dot::total(acc[m][v], sums[m][v]);
        });
      });
    }
    unroll<Rows>([&](auto m) __attribute__((always_inline)) {
      std::int32_t sum;
      std::memcpy(&sum, in + m * row_bytes + sums_at + group * std::ptrdiff_t{sizeof sum},
                  sizeof sum);
      unroll<Vectors>([&](auto v) __attribute__((always_inline)) {
        total[m][v] = floats::fused(floats::shifted(acc[m][v], header + v * Dot::lanes, sum),
                                    floats::load(header + (1 + v) * vec_bytes), total[m][v]);
      });
    });
  }

  unroll<Vectors>([&](auto v) __attribute__((always_inline)) {
    const int count = std::min(used - v * Dot::lanes, Dot::lanes);
    float biases[Dot::lanes]{};
    if (bias != nullptr) {
      std::memcpy(biases, bias + v * Dot::lanes, static_cast<std::size_t>(count) * sizeof(float));
    }
    unroll<Rows>([&](auto m) __attribute__((always_inline)) {
      floats::store(floats::fused(total[m][v], floats::of(in_scale[m]), floats::load(biases)),
                    out + m * std::ptrdiff_t{layout.out_features} + v * Dot::lanes, count);
    });
  });
}

/// As reference::linear_weight_int4, bit for bit, with weights from pack_linear_weight_int4<Isa>.
///
/// Shapes    in [M,K] · in_scale [M] · bias [N] or null · out [M,N]
/// Requires  the operands do not overlap · packed, workspace aligned to 64
template <class Isa>
[[gnu::noinline]] void linear_weight_int4(const linear_shape& shape, int group_size,
                                          const std::int8_t* in, const float* in_scale,
                                          const std::byte* packed, const float* bias, float* out,
                                          std::byte* workspace) noexcept {
  using Dot = int4_dot<Isa>;
  const int4_layout<Dot> layout{shape.in_features, shape.out_features, group_size};
  const auto row_bytes = static_cast<std::ptrdiff_t>(layout.row_bytes());
  for (int m = 0; m < shape.rows; ++m) {
    copy_row(layout, in + std::ptrdiff_t{m} * shape.in_features, workspace + m * row_bytes);
  }
  for (int block = 0; block < layout.blocks(); ++block) {
    const int first = block * layout.width;
    with_constant<Dot::vectors>(
        layout.vectors(block), [&](auto vectors) __attribute__((always_inline)) {
          const auto rows = [&](auto count, int m) __attribute__((always_inline)) {
            int4_tile<Isa, Dot, count, vectors>(
                layout, packed, workspace + m * row_bytes, in_scale + m,
                bias == nullptr ? nullptr : bias + first,
                out + std::ptrdiff_t{m} * shape.out_features + first, shape.out_features - first);
          };
          int m = 0;
          for (; m + Dot::rows <= shape.rows; m += Dot::rows) {
            rows(std::integral_constant<int, Dot::rows>{}, m);
          }
          for (; m < shape.rows; ++m) rows(std::integral_constant<int, 1>{}, m);
          packed += layout.block_bytes(vectors);
        });
  }
}

}  // namespace ctq::kernels::simd
