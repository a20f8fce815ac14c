// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/unroll.hpp"

// The core of conv2d and linear: a tile of output pixels times a panel of output channels, with
// all sums in registers. Weights stream past once; each activation is broadcast once per panel.

namespace ctq::kernels::simd {

/// acc += a * b, for one pixel and all vecs of a panel.
template <class Dot, int Vectors>
[[gnu::always_inline]] inline void add_products(typename Dot::vec (&acc)[Vectors],
                                                const typename Dot::vec& a,
                                                const typename Dot::vec (&b)[Vectors]) {
  acc[0] = Dot::dot(acc[0], a, b[0]);
  if constexpr (Vectors == 2) acc[1] = Dot::dot(acc[1], a, b[1]);
}

/// Satisfied by a dot_arch that does this for two vecs by itself, because the order of instructions
/// matters: dot_pair<More>(acc, a, b, next) then makes `a` the broadcast of `next`, if More.
template <class Dot>
concept dots_in_pairs = requires(typename Dot::vec (&acc)[2], typename Dot::vec& a,
                                 const typename Dot::vec (&b)[2],
                                 const typename Dot::element* next) {
  Dot::template dot_pair<true>(acc, a, b, next);
};

template <class Dot, int Vectors>
[[gnu::always_inline]] inline void load(typename Dot::vec (&to)[Vectors], const std::byte* from) {
  to[0] = Dot::load(from);
  if constexpr (Vectors == 2) to[1] = Dot::load(from + block_layout<Dot>::vec_bytes);
}

/// Pixels m... of a tile, from `first` on in rows of `width`, times one panel, whose order is that
/// of block_layout and k_runs. Writes `used` channels of each pixel.
template <class Dot, int Vectors, class To, class Out, class Used, int... m>
[[gnu::always_inline]] inline void tile(std::integer_sequence<int, m...>,
                                        const typename Dot::element* first, int width,
                                        const strides& by, const k_runs& runs,
                                        const std::byte* block, const To& to, Out* out, Used used) {
  using vec = typename Dot::vec;
  using element = typename Dot::element;
  constexpr std::size_t step_bytes = Vectors * block_layout<Dot>::vec_bytes;
  constexpr block_layout<Dot> layout{Vectors, 0};

  const element* next = first;
  int x = 0;
  const auto advance = [&]() __attribute__((always_inline)) {
    const element* const here = next;
    next += ++x == width ? by.y - (width - 1) * by.x : by.x;
    if (x == width) x = 0;
    return here;
  };
  const element* const pixel[] = {(static_cast<void>(m), advance())...};

  constexpr int last = sizeof...(m) - 1;
  vec acc[sizeof...(m)][Vectors];
  (load<Dot>(acc[m], block), ...);
  const std::byte* weights = block + layout.weights();
  for (int y = 0; y < runs.rows; ++y) {
    for (int tap = 0; tap < runs.taps; ++tap) {
      std::ptrdiff_t at = y * by.row + tap * by.tap;
      for (int step = 0; step < runs.steps; ++step) {
        vec b[Vectors];
        load<Dot>(b, weights);
        if constexpr (Vectors == 2 && dots_in_pairs<Dot>) {
          vec a = Dot::broadcast(pixel[0] + at);
          (Dot::template dot_pair<m != last>(acc[m], a, b, pixel[m == last ? m : m + 1] + at), ...);
        } else {
          (add_products<Dot>(acc[m], Dot::broadcast(pixel[m] + at), b), ...);
        }
        weights += step_bytes;
        at += Dot::k_group;
      }
    }
  }

  const auto* multiplier = reinterpret_cast<const float*>(block + layout.multipliers());
  const auto ends = Dot::prepared(to);
  if constexpr (requires { Dot::store_tile(acc, multiplier, ends, out, by.out, used); }) {
    Dot::store_tile(acc, multiplier, ends, out, by.out, used);
  } else {
    (Dot::store(acc[m], multiplier, ends, out + m * by.out, used), ...);
  }
}

/// The one output pixel that there is, times two whole panels, the second of which begins
/// `panel_bytes` behind the first: two streams of weights come sooner than one (1x4096x4096 on Zen
/// 4, weights in L3: 338 instead of 449 us).
template <class Dot, class To, class Out>
[[gnu::always_inline]] inline void tile_of_two_panels(const typename Dot::element* pixel,
                                                      const strides& by, const k_runs& runs,
                                                      const std::byte* block,
                                                      std::size_t panel_bytes, const To& to,
                                                      Out* out) {
  using vec = typename Dot::vec;
  constexpr block_layout<Dot> layout{2, 0};
  vec acc[2][2];
  load<Dot>(acc[0], block);
  load<Dot>(acc[1], block + panel_bytes);
  const std::byte* weights = block + layout.weights();
  for (int y = 0; y < runs.rows; ++y) {
    for (int tap = 0; tap < runs.taps; ++tap) {
      const typename Dot::element* at = pixel + y * by.row + tap * by.tap;
      for (int step = 0; step < runs.steps; ++step, at += Dot::k_group) {
        const vec a = Dot::broadcast(at);
        vec b[2];
        load<Dot>(b, weights);
        add_products<Dot>(acc[0], a, b);
        load<Dot>(b, weights + panel_bytes);
        add_products<Dot>(acc[1], a, b);
        weights += 2 * layout.vec_bytes;
      }
    }
  }
  constexpr std::integral_constant<int, panels<Dot>::width> width;
  const auto ends = Dot::prepared(to);
  unroll<2>([&](auto panel) __attribute__((always_inline)) {
    const auto* const multiplier =
        reinterpret_cast<const float*>(block + panel * panel_bytes + layout.multipliers());
    Dot::store(acc[panel], multiplier, ends, out + panel * width, width);
  });
}

/// The same as tile, compiled once for all shapes that are not known to the compiler.
template <class Dot, int Rows, int Vectors, class To, class Out>
[[gnu::noinline]] void shared_tile(const typename Dot::element* first, int width, const strides& by,
                                   const k_runs& runs, const std::byte* block, const To& to,
                                   Out* out, int used) {
  tile<Dot, Vectors>(std::make_integer_sequence<int, Rows>{}, first, width, by, runs, block, to,
                     out, used);
}

template <class Dot, class To, class Out>
[[gnu::noinline]] void shared_tile_of_two_panels(const typename Dot::element* pixel,
                                                 const strides& by, const k_runs& runs,
                                                 const std::byte* block, std::size_t panel_bytes,
                                                 const To& to, Out* out) {
  tile_of_two_panels<Dot>(pixel, by, runs, block, panel_bytes, to, out);
}

/// All tiles of an image with one panel, whose weights are in `block` and whose outputs start at
/// `out`. Used: int, or a constant.
template <class Dot, int Vectors, class Shape, class To, class Out, class Used>
[[gnu::always_inline]] inline void sweep(const Shape& shape, const typename Dot::element* in,
                                         const std::byte* block, const To& to, Out* out,
                                         Used used) {
  const conv2d_shape s = shape;
  const strides by = strides_of(s);
  const k_runs runs = runs_of<Dot>(s);
  const auto run_band = [&](const band& b, auto rows) __attribute__((always_inline)) {
    for (int i = 0; i < b.y_count; ++i) {
      const int y = b.y + i * b.y_step;
      for (int j = 0; j < b.x_count; ++j) {
        const int x = b.x + j * b.x_step;
        const typename Dot::element* first = in + y * by.y + x * by.x;
        Out* to_pixel = out + (std::ptrdiff_t{y} * s.out_w() + x) * by.out;
        if constexpr (constant_shape<Shape>) {
          tile<Dot, Vectors>(std::make_integer_sequence<int, rows>{}, first, s.out_w(), by, runs,
                             block, to, to_pixel, used);
        } else {
          shared_tile<Dot, rows, Vectors>(first, s.out_w(), by, runs, block, to, to_pixel, used);
        }
      }
    }
  };
  if constexpr (constant_shape<Shape>) {
    constexpr conv2d_shape known = Shape::value;
    constexpr tiling tiles = tiles_of(known.out_h(), known.out_w(), Dot::tile_rows);
    constexpr std::integral_constant<int, tiles.large.occurring()> large;
    constexpr std::integral_constant<int, tiles.small.occurring()> small;
    if constexpr (large > 0) run_band(tiles.large, large);
    if constexpr (small > 0) run_band(tiles.small, small);
  } else {
    const tiling tiles = tiles_of(s.out_h(), s.out_w(), Dot::tile_rows);
    unroll<Dot::tile_rows>([&](auto index) __attribute__((always_inline)) {
      constexpr std::integral_constant<int, index + 1> rows;
      if (tiles.large.rows == rows) run_band(tiles.large, rows);
      if (tiles.small.rows == rows) run_band(tiles.small, rows);
    });
  }
}

}  // namespace ctq::kernels::simd
