// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/arch/all_dots.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/matrix/int4_dot.hpp"
#include "ctq/kernels/simd/matrix/int4_pack.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

// Linear layers with four-bit weights: a few rows of activations times a block of channels.

namespace ctq::kernels::simd {

/// Registers of floats with the lanes of Dot, and conversions of the accumulators of a group.
template <class Isa, class Dot>
struct int4_floats {
  using vec = float;
  static vec load(const void* p) {
    vec x;
    std::memcpy(&x, p, sizeof x);
    return x;
  }
  static vec load(const float* p, int) { return *p; }
  static vec of(float x) { return x; }
  static vec fused(vec x, vec y, vec z) { return ::fmaf(x, y, z); }
  static void store(vec x, float* out, int) { *out = x; }
  /// -zero_point * (sum of activations), the initial accumulators of a group.
  static typename Dot::pair shift(const std::byte* zero_points, std::int32_t sum) {
    const typename Dot::pair values = Dot::unpack(static_cast<std::int32_t>(*zero_points));
    return {values.low * -sum, values.high * -sum};
  }
  static vec from(std::int32_t acc) { return static_cast<float>(acc); }
};

template <vectorized Isa, class Dot>
requires(Dot::lanes > 1) struct int4_floats<Isa, Dot> {
  using vec = batch<Isa, float>;
  [[gnu::always_inline]] static vec load(const void* p) {
    return vec::load_unaligned(static_cast<const float*>(p));
  }
  /// The first `count` floats.
  [[gnu::always_inline]] static vec load(const float* p, int count) {
    if (count >= Dot::lanes) return load(p);
    float kept[Dot::lanes]{};
    std::memcpy(kept, p, static_cast<std::size_t>(count) * sizeof(float));
    return load(kept);
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
  using integers = batch<Isa, std::int32_t>;
  [[gnu::always_inline]] static typename Dot::pair shift(const std::byte* zero_points,
                                                         std::int32_t sum) {
    using vec = typename Dot::vec;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(zero_points);
    const typename Dot::pair values = Dot::unpack(vec(widen<Isa>(bytes)));
    return {vec(integers(values.low) * integers(-sum)),
            vec(integers(values.high) * integers(-sum))};
  }
  [[gnu::always_inline]] static vec from(typename Dot::vec acc) {
    return to_float<Isa>(integers(acc));
  }
};

/// Rows x Pairs x 2 registers of outputs: all groups of one block, `used` channels of it.
template <class Isa, class Dot, int Rows, int Pairs>
[[gnu::noinline]] void int4_tile(const int4_layout<Dot>& layout, const std::byte* block,
                                 const std::byte* in, const float* in_scale, const float* bias,
                                 float* out, int used) noexcept {
  using floats = int4_floats<Isa, Dot>;
  using layout_t = int4_layout<Dot>;
  constexpr std::ptrdiff_t vec_bytes = layout_t::vec_bytes;
  constexpr std::ptrdiff_t scales_at = layout_t::zero_point_bytes(Pairs);
  const auto row_bytes = static_cast<std::ptrdiff_t>(layout.row_bytes());
  const auto sums_at = static_cast<std::ptrdiff_t>(layout.sums_at());
  typename floats::vec total[Rows][2 * Pairs];
  unroll<Rows, 2 * Pairs>([&](auto m, auto v)
                              __attribute__((always_inline)) { total[m][v] = floats::of(0.0F); });

  const std::byte* x = in;
  for (int group = 0; group < layout.groups(); ++group) {
    const std::byte* const header = block;
    block += layout_t::header_bytes(Pairs);
    typename Dot::sums sums[Rows][Pairs];
    unroll<Rows>([&](auto m) __attribute__((always_inline)) {
      std::int32_t sum;
      std::memcpy(&sum, in + m * row_bytes + sums_at + group * std::ptrdiff_t{sizeof sum},
                  sizeof sum);
      unroll<Pairs>([&](auto p) __attribute__((always_inline)) {
        sums[m][p] = Dot::begin(floats::shift(header + p * Dot::lanes, sum));
      });
    });
    for (int lines = layout.lines(group);;) {
      const int now = std::min(lines, Dot::lines);
      for (int line = 0; line < now; ++line, x += layout.line_values) {
        typename Dot::vec a[Rows];
        unroll<Rows>([&](auto m) __attribute__((always_inline)) {
          a[m] = Dot::broadcast(x + m * row_bytes);
        });
        unroll<Pairs>([&](auto p) __attribute__((always_inline)) {
          const typename Dot::pair values = Dot::split(Dot::load(block + p * vec_bytes));
          unroll<Rows>([&](auto m)
                           __attribute__((always_inline)) { Dot::add(sums[m][p], values, a[m]); });
        });
        block += Pairs * vec_bytes;
      }
      lines -= now;
      if (lines == 0) break;
      unroll<Rows, Pairs>([&](auto m, auto p)
                              __attribute__((always_inline)) { Dot::carry(sums[m][p]); });
    }
    unroll<Rows, Pairs>([&](auto m, auto p) __attribute__((always_inline)) {
      const typename Dot::pair acc = Dot::total(sums[m][p]);
      const auto add = [&](auto v, auto of_group) __attribute__((always_inline)) {
        total[m][v] = floats::fused(floats::from(of_group),
                                    floats::load(header + scales_at + v * vec_bytes), total[m][v]);
      };
      add(std::integral_constant<int, 2 * p>{}, acc.low);
      add(std::integral_constant<int, 2 * p + 1>{}, acc.high);
    });
  }

  unroll<2 * Pairs>([&](auto v) __attribute__((always_inline)) {
    const int count = std::min(used - v * Dot::lanes, Dot::lanes);
    if (count <= 0) return;
    const auto start =
        bias == nullptr ? floats::of(0.0F) : floats::load(bias + v * Dot::lanes, count);
    unroll<Rows>([&](auto m) __attribute__((always_inline)) {
      floats::store(floats::fused(total[m][v], floats::of(in_scale[m]), start),
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
    copy_activations(layout, in + std::ptrdiff_t{m} * shape.in_features, workspace + m * row_bytes);
  }
  for (int block = 0; block < layout.blocks(); ++block) {
    const int first = block * layout.width;
    with_constant<Dot::pairs>(
        layout.pairs(block), [&](auto pairs) __attribute__((always_inline)) {
          const auto rows = [&](auto count, int m) __attribute__((always_inline)) {
            int4_tile<Isa, Dot, count, pairs>(
                layout, packed, workspace + m * row_bytes, in_scale + m,
                bias == nullptr ? nullptr : bias + first,
                out + std::ptrdiff_t{m} * shape.out_features + first, shape.out_features - first);
          };
          int m = 0;
          for (; m + Dot::rows <= shape.rows; m += Dot::rows) {
            rows(std::integral_constant<int, Dot::rows>{}, m);
          }
          for (; m < shape.rows; ++m) rows(std::integral_constant<int, 1>{}, m);
          packed += layout.block_bytes(pairs);
        });
  }
}

}  // namespace ctq::kernels::simd
