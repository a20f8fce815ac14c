// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/arch/register_dot.hpp"
#include "ctq/kernels/simd/convolution/column_blocking.hpp"
#include "ctq/kernels/simd/convolution/column_input.hpp"
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/inline_by_flatten.hpp"

// Depthwise convolution by register tiles of output pixels, for half of the channels of a block at
// a time.

namespace ctq::kernels::simd {

/// The result for half of a block's channels, buffered until the other half is computed.
template <class Dot>
using half_of = decltype(Dot::half(std::declval<const typename Dot::vec (&)[Dot::k_group / 2]>(),
                                   static_cast<const float*>(nullptr)));

/// Output columns of a tile: as many as fit in the registers besides weights and inputs.
template <class Dot>
[[nodiscard]] constexpr int tile_columns(const column_blocking<Dot>& blocking) {
  if (blocking.kernel == 3) return blocking.stride == 2 ? 4 : 3;
  return Dot::k_group == 4 ? 2 : 3;
}

/// The sums of Rows x Columns output pixels, for half of the channels of a block. Groups and
/// columns are constants, but passed as arguments: as template arguments, each would instantiate
/// functions of its own, hundreds for a tile.
template <class Dot, int Kernel, int Stride, int Rows, int Columns>
struct column_sums {
  using vec = typename Dot::vec;
  static constexpr column_blocking<Dot> blocking{Kernel, Stride};
  static constexpr int vecs = Dot::k_group / 2;
  static constexpr int in_columns = (Columns - 1) * Stride + Kernel;
  static constexpr std::size_t vec_bytes = block_layout<Dot>::vec_bytes;
  // Of two adjacent pixels the right one uses the weights that the left one used a column before:
  // one zmm load per cycle is the limit (13.5 instead of 14 us; clang 19: 16).
  static constexpr bool in_turn =
      Columns == 2 && Stride == 1 && (Rows * (Columns + 1) + 1) * vecs < vector_registers;

  vec acc[Rows][Columns][vecs];
  vec b[Rows][vecs];

  [[gnu::always_inline]] explicit column_sums(const std::byte* biases) {
    unroll<vecs>([&](auto v) __attribute__((always_inline)) {
      const vec bias = Dot::load(biases + v * vec_bytes);
      unroll<Rows, Columns>([&](auto m, auto n)
                                __attribute__((always_inline)) { acc[m][n][v] = bias; });
    });
  }

  /// Adds the products of input column c of a group of rows.
  [[gnu::always_inline]] void add(const vec (&a)[vecs], const std::byte* weights, int group,
                                  int c) {
    unroll<Columns>([&](auto left) __attribute__((always_inline)) {
      constexpr int n = Columns - 1 - left;
      const int tap = c - n * Stride;
      if (tap < 0 || tap >= Kernel) return;
      unroll<Rows>([&](auto m) __attribute__((always_inline)) {
        if (!blocking.sees(m, group)) return;
        unroll<vecs>([&](auto v) __attribute__((always_inline)) {
          const auto at = static_cast<std::size_t>(blocking.step(tap, group, m) * Dot::k_group + v);
          if constexpr (!in_turn || n == 0) b[m][v] = Dot::load(weights + at * vec_bytes);
          acc[m][n][v] = Dot::dot(acc[m][n][v], a[v], b[m][v]);
        });
      });
    });
  }

  /// Computes the sums here, see compute_now.
  [[gnu::always_inline]] void compute() {
    if constexpr (in_turn) {
      unroll<Rows, Columns>([&](auto m, auto n) __attribute__((always_inline)) {
        for (vec& x : acc[m][n]) compute_now(x);
      });
    } else {
      compute_now(acc[0][0][0]);
    }
  }
};

/// Computes and requantizes `Rows` x `Columns` output pixels, for half of the channels of a block;
/// x is the first input column.
template <class Dot, int Kernel, int Stride, int Rows, int Columns, int Half, class Input>
CTQ_INLINE_BY_FLATTEN inline void column_half(const Input& in, int x, const std::byte* block,
                                              half_of<Dot> (&out)[Rows][Columns]) {
  using sums = column_sums<Dot, Kernel, Stride, Rows, Columns>;
  constexpr block_layout<Dot> layout{Dot::k_group, 0};
  block += Half * sums::vecs * sums::vec_bytes;
  sums s(block);
  const auto add = [&](int group, int c) __attribute__((always_inline)) {
    s.compute();
    typename sums::vec a[sums::vecs];
    in.template load_half<Dot, Half>(x + c, group, a);
    s.add(a, block + layout.weights(), group, c);
  };
  unroll<sums::blocking.groups(Rows), sums::in_columns>(add);

  const auto* multiplier = reinterpret_cast<const float*>(block + layout.multipliers());
  unroll<Rows, Columns>([&](auto m, auto n) __attribute__((always_inline)) {
    out[m][n] = Dot::half(s.acc[m][n], multiplier);
  });
}

/// column_half for one output column and a run-time kernel size.
template <class Dot, int Rows, int Half, class Input>
[[gnu::always_inline]] inline void any_column_half(const column_blocking<Dot>& blocking,
                                                   const Input& in, int x, const std::byte* block,
                                                   half_of<Dot> (&out)[Rows]) {
  using vec = typename Dot::vec;
  constexpr int vecs = Dot::k_group / 2;
  constexpr std::size_t vec_bytes = block_layout<Dot>::vec_bytes;
  constexpr block_layout<Dot> layout{Dot::k_group, 0};
  block += Half * vecs * vec_bytes;
  vec acc[Rows][vecs];
  unroll<Rows, vecs>([&](auto m, auto v) __attribute__((always_inline)) {
    acc[m][v] = Dot::load(block + v * vec_bytes);
  });
  for (int g = 0; g < blocking.groups(Rows); ++g) {
    for (int tap = 0; tap < blocking.kernel; ++tap) {
      vec a[vecs];
      in.template load_half<Dot, Half>(x + tap, g, a);
      const auto first = static_cast<std::size_t>(blocking.step(tap, g, 0)) * Dot::k_group;
      const std::byte* const weights = block + layout.weights() + first * vec_bytes;
      unroll<Rows, vecs>([&](auto m, auto v) __attribute__((always_inline)) {
        const vec b = Dot::load(weights + (m * Dot::k_group + v) * vec_bytes);
        acc[m][v] = Dot::dot(acc[m][v], a[v], b);
      });
    }
  }
  const auto* multiplier = reinterpret_cast<const float*>(block + layout.multipliers());
  unroll<Rows>([&](auto m)
                   __attribute__((always_inline)) { out[m] = Dot::half(acc[m], multiplier); });
}

/// Computes `Rows` output rows from each of y on, all columns, for one block of channels that
/// starts at `in` and `out`, with little code: for a kernel size known only at run time, and for
/// outputs that do not fill a tile. Takes its arguments by value, so that the caller's variables
/// may stay in registers.
template <class Dot, int Rows, class In, class To, class Out>
[[gnu::noinline]] void any_column_tiles(conv2d_shape s, const In* in, const In* border,
                                        std::array<int, rows_per_register_of<Dot>> y,
                                        const std::byte* block, To to, Out* out) {
  const column_blocking<Dot> blocking{s.kernel_h, s.stride_h};
  const int width = s.out_w();
  const std::ptrdiff_t out_x = s.out_channels;
  const std::ptrdiff_t out_y = out_x * width;
  const input_rows<largest_group_rows, rows_per_register_of<Dot>, In> rows(s, in, y, border);
  const auto to_row = out_rows_at<Dot>(out, y, out_y);
  for (int x = 0; x < width; ++x) {
    half_of<Dot> first[Rows];
    half_of<Dot> second[Rows];
    const int in_x = x * s.stride_w - s.padding_w;
    any_column_half<Dot, Rows, 0>(blocking, rows, in_x, block, first);
    any_column_half<Dot, Rows, 1>(blocking, rows, in_x, block, second);
    unroll<Rows>([&](auto m) __attribute__((always_inline)) {
      Dot::template store_halves<Dot::k_group / 2>(first[m], second[m], to,
                                                   to_row + (m * out_y + x * out_x));
    });
  }
}

/// Computes `Rows` output rows from each of y on, all columns, for one block of channels that
/// starts at `in` and `out`. The last tile is moved back to end with the row: a smaller tile would
/// double the code. With constant extents addresses are constants, and inner_columns would gain
/// nothing.
template <class Dot, int Kernel, int Stride, int Rows, extents Known, class In, class To, class Out>
CTQ_INLINE_BY_FLATTEN inline void column_tiles(const conv2d_shape& s, const In* in,
                                               const In* border,
                                               const std::array<int, rows_per_register_of<Dot>>& y,
                                               const std::byte* block, const To& to, Out* out) {
  constexpr column_blocking<Dot> blocking{Kernel, Stride};
  constexpr int columns = tile_columns(blocking);
  const int width = s.out_w();
  if (width < columns) {
    any_column_tiles<Dot, Rows>(s, in, border, y, block, to, out);
    return;
  }
  const std::ptrdiff_t out_x = s.out_channels;
  const std::ptrdiff_t out_y = out_x * width;
  const input_rows<blocking.in_rows(Rows), rows_per_register_of<Dot>, In> rows(s, in, y, border);
  const auto to_row = out_rows_at<Dot>(out, y, out_y);
  constexpr int in_columns = (columns - 1) * Stride + Kernel;
  constexpr int blocking_rows = blocking.in_rows(Rows);
  const auto tile_of = [&](const auto& input, int x) CTQ_INLINE_BY_FLATTEN {
    half_of<Dot> first[Rows][columns];
    half_of<Dot> second[Rows][columns];
    const int in_x = x * Stride - s.padding_w;
    column_half<Dot, Kernel, Stride, Rows, columns, 0>(input, in_x, block, first);
    column_half<Dot, Kernel, Stride, Rows, columns, 1>(input, in_x, block, second);
    unroll<Rows, columns>([&](auto m, auto n) __attribute__((always_inline)) {
      Dot::template store_halves<Dot::k_group / 2>(first[m][n], second[m][n], to,
                                                   to_row + (m * out_y + (x + n) * out_x));
    });
  };
  const auto tile = [&](int x) CTQ_INLINE_BY_FLATTEN {
    if constexpr (Known != extents::constant && rows_per_register_of<Dot> == 1) {
      using columns_of_tile =
          inner_columns<blocking_rows, in_columns, column_blocking<Dot>::width, In>;
      tile_of(columns_of_tile(rows, x * Stride - s.padding_w), x);
    } else {
      tile_of(rows, x);
    }
  };
  for (int x = 0; x < width; x += columns) tile(std::min(x, width - columns));
}

}  // namespace ctq::kernels::simd
