// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/convolution/column_blocking.hpp"
#include "ctq/kernels/simd/convolution/column_input.hpp"
#include "ctq/kernels/simd/convolution/column_tile.hpp"
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/inline_by_flatten.hpp"

// Depthwise 3x3 with four input rows interleaved in a register: each input column is loaded once
// and added to the accumulators of all output pixels that depend on it. Weights stay in registers.

namespace ctq::kernels::simd {

/// The weights of one group of rows in registers, for channels from vec `first` on.
template <class Dot, int Kernel, int Rows, int Vecs>
struct column_weights {
  typename Dot::vec at[Kernel][Rows][Vecs];

  [[gnu::always_inline]] column_weights(const column_blocking<Dot>& blocking,
                                        const std::byte* block, int first) {
    constexpr block_layout<Dot> layout{Dot::k_group, 0};
    block += layout.weights();
    unroll<Kernel, Rows>([&](auto tap, auto m) __attribute__((always_inline)) {
      unroll<Vecs>([&](auto v) __attribute__((always_inline)) {
        const int vec = blocking.step(tap, 0, m) * Dot::k_group + first + v;
        at[tap][m][v] = Dot::load(block + static_cast<std::size_t>(vec) * layout.vec_bytes);
      });
    });
  }
};

/// Half of the channels of `count` output pixels of Rows rows; x is the first input column. Three
/// pixels per row are being accumulated at any time. Calls done(n, m, result of Dot::half) for
/// pixel n of row m.
template <class Dot, int Rows, int Half, extents Known, class Input, class Done>
[[gnu::always_inline]] inline void slide_half(const Input& in, int x, int count,
                                              const std::byte* block, const Done& done) {
  using vec = typename Dot::vec;
  constexpr column_blocking<Dot> blocking{3, 1};
  constexpr int vecs = Dot::k_group / 2;
  constexpr block_layout<Dot> layout{Dot::k_group, 0};
  const column_weights<Dot, blocking.kernel, Rows, vecs> weights(blocking, block, Half * vecs);
  block += Half * vecs * layout.vec_bytes;
  const auto* const multiplier = reinterpret_cast<const float*>(block + layout.multipliers());
  const auto each = [&](const auto& f) __attribute__((always_inline)) {
    unroll<Rows, vecs>([&](auto m, auto v) __attribute__((always_inline)) { f(m, v); });
  };
  const auto bias = [&](auto v) __attribute__((always_inline)) {
    return Dot::load(block + v * layout.vec_bytes);
  };

  vec a[vecs], first[Rows][vecs], second[Rows][vecs];
  column_cursor<Known, Input> columns(in, x);
  columns.template load_half<Dot, Half>(a);
  columns.advance(1);
  each([&](auto m, auto v) __attribute__((always_inline)) {
    first[m][v] = Dot::dot(bias(v), a[v], weights.at[0][m][v]);
  });
  columns.template load_half<Dot, Half>(a);
  each([&](auto m, auto v) __attribute__((always_inline)) {
    first[m][v] = Dot::dot(first[m][v], a[v], weights.at[1][m][v]);
    second[m][v] = Dot::dot(bias(v), a[v], weights.at[0][m][v]);
  });
  for (int n = 0; n < count; ++n) {
    columns.advance(1);
    columns.template load_half<Dot, Half>(a);
    vec whole[Rows][vecs];
    each([&](auto m, auto v) __attribute__((always_inline)) {
      whole[m][v] = Dot::dot(first[m][v], a[v], weights.at[2][m][v]);
      first[m][v] = Dot::dot(second[m][v], a[v], weights.at[1][m][v]);
      second[m][v] = Dot::dot(bias(v), a[v], weights.at[0][m][v]);
    });
    unroll<Rows>([&](auto m) __attribute__((always_inline)) {
      done(n, m, Dot::half(whole[m], multiplier));
    });
  }
}

/// Computes `Rows` output rows from each of y on with stride 1, for one block of channels. The
/// weights and accumulators of all channels do not fit in registers, those of half the channels do:
/// each half is computed for a strip of pixels, and the results of the first half are buffered
/// until the second is done (384 channels @14, Zen 4, ymm: 8.9 us instead of 9.9 us for tiles of
/// 2x3 pixels, which load two of five columns twice).
template <class Dot, int Rows, extents Known, class In, class To, class Out>
CTQ_INLINE_BY_FLATTEN inline void slide_by_one(const conv2d_shape& s, const In* in,
                                               const In* border,
                                               const std::array<int, rows_per_register_of<Dot>>& y,
                                               const std::byte* block, const To& to, Out* out) {
  constexpr column_blocking<Dot> blocking{3, 1};
  constexpr int most = 32;  // pixels: a buffer of at most 4 KB
  if (s.out_w() <= 0) return;
  const std::ptrdiff_t out_x = s.out_channels;
  const std::ptrdiff_t out_y = out_x * s.out_w();
  const input_rows<blocking.in_rows(Rows), rows_per_register_of<Dot>, In> rows(s, in, y, border);
  half_of<Dot> kept[most][Rows];
  // Strips of one width; the last one is moved back to end with the row.
  const int strips = ceil_div(s.out_w(), most);
  const int width = ceil_div(s.out_w(), strips);
  for (int i = 0; i < strips; ++i) {
    const int first = std::min(i * width, s.out_w() - width);
    const auto to_pixel = out_rows_at<Dot>(out, y, out_y) + first * out_x;
    slide_half<Dot, Rows, 0, Known>(
        rows, first - s.padding_w, width,
        block, [&](int n, auto m, const half_of<Dot>& half) __attribute__((always_inline)) {
          kept[n][m] = half;
        });
    slide_half<Dot, Rows, 1, Known>(
        rows, first - s.padding_w, width,
        block, [&](int n, auto m, const half_of<Dot>& half) __attribute__((always_inline)) {
          Dot::template store_halves<Dot::k_group / 2>(kept[n][m], half, to,
                                                       to_pixel + m * out_y + n * out_x);
        });
  }
}

/// Computes the output row at each of y with stride 2. An even input column belongs to two output
/// pixels: it is the last column of one and the first of the next. An odd one belongs to one pixel.
/// An even column is interleaved with the first row of the odd one after it, whose other two rows
/// are interleaved as pairs, which takes fewer shuffles than groups of four (144 channels @56, Zen
/// 4: 15.2 instead of 16 us, then 14.4 without clamps). All channels of a block are computed at
/// once.
template <class Dot, extents Known, class In, class To, class Out>
CTQ_INLINE_BY_FLATTEN inline void slide_by_two(const conv2d_shape& s, const In* in,
                                               const In* border,
                                               const std::array<int, rows_per_register_of<Dot>>& y,
                                               const std::byte* block, const To& to, Out* out) {
  using vec = typename Dot::vec;
  constexpr column_blocking<Dot> blocking{3, 2};
  constexpr int vecs = Dot::k_group;
  constexpr block_layout<Dot> layout{Dot::k_group, 0};
  using input = input_rows<blocking.kernel, rows_per_register_of<Dot>, In>;
  const input rows(s, in, y, border);
  const int width = s.out_w();
  const std::ptrdiff_t out_x = s.out_channels;
  const auto to_row = out_rows_at<Dot>(out, y, width * out_x);
  const auto* const multiplier = reinterpret_cast<const float*>(block + layout.multipliers());
  const column_weights<Dot, blocking.kernel, 1, vecs> weights(blocking, block, 0);
  column_cursor<Known, input> columns(rows, -s.padding_w);
  const auto load = [&](int ahead, auto inside, vec(&a)[vecs]) __attribute__((always_inline)) {
    columns.template load_rows<Dot, 0, 3>(ahead, inside, a);
    columns.template load_rows<Dot, 0, 1>(ahead + 1, inside, a + 3);
    Dot::interleave(a);
  };
  const auto begin = [&](const vec(&a)[vecs], vec(&acc)[vecs]) __attribute__((always_inline)) {
    unroll<vecs>([&](auto v) __attribute__((always_inline)) {
      acc[v] = Dot::dot(Dot::load(block + v * layout.vec_bytes), a[v], weights.at[0][0][v]);
    });
  };

  // A pixel is stored one iteration after its last column, so that its store overlaps with the
  // loads of the next one: out-of-order execution does not reach that far.
  vec a[vecs], acc[vecs], done[vecs];
  const auto store = [&](int n) __attribute__((always_inline)) {
    Dot::store(done, multiplier, to, to_row + n * out_x, blocking.width);
  };
  load(0, std::false_type{}, a);
  begin(a, acc);
  begin(a, done);  // never stored; g++ warns of an uninitialized variable otherwise
  for (int n = 0; n < width; ++n, columns.advance(2)) {
    vec pairs[2];
    const auto load_next = [&](auto inside) __attribute__((always_inline)) {
      columns.template load_rows<Dot, 1, 2>(1, inside, pairs);
      Dot::interleave_pairs(pairs);
      load(2, inside, a);
    };
    if (columns.are_inside(1, 3)) [[likely]] {
      load_next(std::true_type{});
    } else {
      load_next(std::false_type{});
    }
    if (n > 0) store(n - 1);
    unroll<vecs>([&](auto v) __attribute__((always_inline)) {
      done[v] = Dot::dot(acc[v], pairs[v / 2], weights.at[1][0][v]);
    });
    unroll<vecs>([&](auto v) __attribute__((always_inline)) {
      done[v] = Dot::dot(done[v], a[v], weights.at[2][0][v]);
    });
    begin(a, acc);
  }
  if (width > 0) store(width - 1);
}

}  // namespace ctq::kernels::simd
