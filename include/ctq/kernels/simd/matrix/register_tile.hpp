// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/matrix/panel_weights.hpp"
#include "ctq/kernels/simd/unroll.hpp"

// The core of conv2d and linear: a register tile of output pixels times a panel of output channels,
// with all accumulators in registers. Weights are read once per tile; each activation is broadcast
// once per panel.

namespace ctq::kernels::simd {

/// acc += a * b, for one pixel and all vecs of a panel.
template <class Dot, int Vectors>
[[gnu::always_inline]] inline void add_products(typename Dot::vec (&acc)[Vectors],
                                                const typename Dot::vec& a,
                                                const typename Dot::vec (&b)[Vectors]) {
  acc[0] = Dot::dot(acc[0], a, b[0]);
  if constexpr (Vectors == 2) acc[1] = Dot::dot(acc[1], a, b[1]);
}

/// Satisfied by a dot_arch with its own add_products for two vecs, because the order of
/// instructions matters: dot_pair<More>(acc, a, b, next) then also sets `a` to the broadcast of
/// `next`, if More.
template <class Dot>
concept dots_in_pairs = requires(typename Dot::vec (&acc)[2], typename Dot::vec& a,
                                 const typename Dot::vec (&b)[2],
                                 const typename Dot::element* next) {
  Dot::template dot_pair<true>(acc, a, b, next);
};

/// Returns `at`, opaque to the optimizer.
[[nodiscard, gnu::always_inline]] inline std::ptrdiff_t opaque(std::ptrdiff_t at) {
  __asm__("" : "+r"(at));
  return at;
}

/// Whether adjacent pixels share elements of a run. For such a shape g++ would keep the elements
/// that another pixel loaded some steps ago on the stack, instead of loading them again (Zen 4:
/// 3x3, 8 to 16 channels @14 1.20 instead of 1.15 us; 7x7/2, 3 to 64 @224 630 us, 800 with 4K
/// aliasing between stack and image).
template <class Dot, class Shape>
[[nodiscard]] constexpr bool pixels_overlap() {
  if constexpr (constant_shape<Shape>) {
    return strides_of(Shape::value).x < runs_of<Dot>(Shape::value).length;
  } else if constexpr (with_form<Shape>) {
    return Shape::form.pixels_overlap;
  } else {
    return false;  // unknown to g++ as well
  }
}

/// Pixels m... of a tile, from `first` on in rows of `width`, times one panel, in the layout of
/// block_layout and k_runs. Stores `used` channels of each pixel.
template <class Dot, int Vectors, bool PixelsOverlap, class Weights, class To, class Out,
          class Used, int... m>
[[gnu::always_inline]] inline void tile(std::integer_sequence<int, m...>,
                                        const typename Dot::element* first, int width,
                                        const strides& by, const k_runs& runs,
                                        const std::byte* block, Weights weights, const To& to,
                                        Out* out, Used used) {
  using vec = typename Dot::vec;
  using element = typename Dot::element;
  constexpr block_layout<typename Weights::packed> layout{Vectors, 0};

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
  for (int y = 0; y < runs.rows; ++y) {
    for (int tap = 0; tap < runs.taps; ++tap) {
      std::ptrdiff_t at = y * by.row + tap * by.tap;
      for (int step = 0; step < runs.steps; ++step) {
        vec b[Vectors];
        weights.next(b);
        if constexpr (Vectors == 2 && dots_in_pairs<Dot>) {
          vec a = Dot::broadcast(pixel[0] + at);
          (Dot::template dot_pair<m != last>(acc[m], a, b, pixel[m == last ? m : m + 1] + at), ...);
        } else {
          (add_products<Dot>(acc[m], Dot::broadcast(pixel[m] + at), b), ...);
        }
        at += Dot::k_group;
        if constexpr (PixelsOverlap) at = opaque(at);
      }
    }
  }

  const auto* multiplier = reinterpret_cast<const float*>(block + layout.multipliers());
  const auto bounds = Dot::prepared(to);
  if constexpr (requires { Dot::store_tile(acc, multiplier, bounds, out, by.out, used); }) {
    Dot::store_tile(acc, multiplier, bounds, out, by.out, used);
  } else {
    (Dot::store(acc[m], multiplier, bounds, out + m * by.out, used), ...);
  }
}

/// A single output pixel times several full panels, `panel_bytes` apart: several streams of weights
/// are faster than one (1x4096x4096 on Zen 4, weights in L3: one 449 us, two 338; measured again,
/// two 304 to 352, four 290 to 323).
template <class Dot, int Panels, class To, class Out>
[[gnu::always_inline]] inline void tile_of_panels(const typename Dot::element* pixel,
                                                  const strides& by, const k_runs& runs,
                                                  const std::byte* block, std::size_t panel_bytes,
                                                  const To& to, Out* out) {
  using vec = typename Dot::vec;
  constexpr block_layout<Dot> layout{2, 0};
  vec acc[Panels][2];
  packed_weights<Dot> weights[Panels];
  unroll<Panels>([&](auto panel) __attribute__((always_inline)) {
    const std::byte* const at = block + panel * panel_bytes;
    load<Dot>(acc[panel], at);
    weights[panel] = {at + layout.weights()};
  });
  for (int y = 0; y < runs.rows; ++y) {
    for (int tap = 0; tap < runs.taps; ++tap) {
      const typename Dot::element* at = pixel + y * by.row + tap * by.tap;
      for (int step = 0; step < runs.steps; ++step, at += Dot::k_group) {
        const vec a = Dot::broadcast(at);
        unroll<Panels>([&](auto panel) __attribute__((always_inline)) {
          vec b[2];
          weights[panel].next(b);
          add_products<Dot>(acc[panel], a, b);
        });
      }
    }
  }
  constexpr std::integral_constant<int, panels<Dot>::width> width;
  const auto bounds = Dot::prepared(to);
  unroll<Panels>([&](auto panel) __attribute__((always_inline)) {
    const auto* const multiplier =
        reinterpret_cast<const float*>(block + panel * panel_bytes + layout.multipliers());
    Dot::store(acc[panel], multiplier, bounds, out + panel * width, width);
  });
}

/// The same as tile, compiled once for all run-time shapes.
template <class Dot, int Rows, int Vectors, class Weights, class To, class Out>
[[gnu::noinline]] void shared_tile(const typename Dot::element* first, int width, const strides& by,
                                   const k_runs& runs, const std::byte* block, Weights weights,
                                   const To& to, Out* out, int used) {
  tile<Dot, Vectors, false>(std::make_integer_sequence<int, Rows>{}, first, width, by, runs, block,
                            weights, to, out, used);
}

template <class Dot, int Panels, class To, class Out>
[[gnu::noinline]] void shared_tile_of_panels(const typename Dot::element* pixel, const strides& by,
                                             const k_runs& runs, const std::byte* block,
                                             std::size_t panel_bytes, const To& to, Out* out) {
  tile_of_panels<Dot, Panels>(pixel, by, runs, block, panel_bytes, to, out);
}

/// Most rows of a tile of run-time extents. Floats have fewer functions, since float models are for
/// comparison: 14 rows would be 2 % faster and take g++ 1 s more (AVX-512, a small CNN).
template <class Dot, int Vectors>
inline constexpr int shared_tile_rows = std::is_same_v<typename Dot::element, float>
                                            ? std::min(Dot::tile_rows, Vectors == 1 ? 7 : 9)
                                            : Dot::tile_rows;

/// shared_tile for 1, 2, ... rows.
template <class Dot, int Vectors, class Weights, class To, class Out>
inline constexpr auto shared_tiles = []<int... i>(std::integer_sequence<int, i...>) {
  return std::array{&shared_tile<Dot, i + 1, Vectors, Weights, To, Out>...};
}
(std::make_integer_sequence<int, shared_tile_rows<Dot, Vectors>>{});

/// Whether tiles always read packed weights, with no need to widen them.
template <class Dot, class Shape>
[[nodiscard]] constexpr bool reads_packed_weights() {
  if constexpr (!widens_weights<Dot>) {
    return true;
  } else if constexpr (constant_shape<Shape>) {
    return wide_panel_bytes<Dot>(Shape::value) == 0;
  } else if constexpr (with_form<Shape>) {
    return !Shape::form.widens;
  } else {
    return false;
  }
}

/// All tiles of an image with one panel, whose weights are in `block`, packed for Packed, and whose
/// outputs start at `out`. wide: workspace of wide_panel_bytes · Used: int, or a constant
template <class Dot, int Vectors, class Packed, class Shape, class To, class Out, class Used>
[[gnu::always_inline]] inline void sweep(const Shape& shape, const typename Dot::element* in,
                                         const std::byte* block, std::byte* wide, const To& to,
                                         Out* out, Used used) {
  using element = typename Dot::element;
  const conv2d_shape s = shape;
  const strides by = strides_of(s);
  const k_runs runs = known_runs<Dot>(shape);
  const packed_weights<Dot, Packed> packed{block + block_layout<Packed>{Vectors, 0}.weights()};
  [[maybe_unused]] const bool several = wide_panel_bytes<Packed>(s) > 0;
  bool widened = false;
  // tile_of(weights, first input, first output) computes a tile; the first one widens the weights.
  const auto run_band = [&](const band& b, auto widens, const auto& tile_of)
      __attribute__((always_inline)) {
    for (int i = 0; i < b.y_count; ++i) {
      const int y = b.y + i * b.y_step;
      for (int j = 0; j < b.x_count; ++j) {
        const int x = b.x + j * b.x_step;
        const element* const first = in + y * by.y + x * by.x;
        Out* const to_pixel = out + (std::ptrdiff_t{y} * s.out_w() + x) * by.out;
        if constexpr (reads_packed_weights<Packed, Shape>()) {
          tile_of(packed, first, to_pixel);
        } else {
          if constexpr (!specialized_shape<Shape>) {
            if (!several) {
              tile_of(packed, first, to_pixel);
              continue;
            }
          }
          if (widens && !widened) {
            tile_of(widening_weights<Dot, Packed>{packed, wide}, first, to_pixel);
            widened = true;
          } else {
            tile_of(widened_weights<Dot, Packed>{wide}, first, to_pixel);
          }
        }
      }
    }
  };
  if constexpr (specialized_shape<Shape>) {
    const auto tiling_of = [](const conv2d_shape& x) {
      return tiles_of(x.out_h(), x.out_w(), Dot::tile_rows);
    };
    const tiling tiles = evaluated(shape, tiling_of);
    // Rows of a tile that are longer than the tile have no end in it.
    const int width = [&] {
      if constexpr (with_form<Shape>) {
        return Shape::form.width > 0 ? Shape::form.width : Dot::tile_rows + 1;
      } else {
        return s.out_w();
      }
    }();
    const auto run_constant = [&](const band& b, auto rows, auto widens)
        __attribute__((always_inline)) {
      run_band(
          b, widens,
          [&](const auto& weights, const element* first, Out* to_pixel)
              __attribute__((always_inline)) {
                tile<Dot, Vectors, pixels_overlap<Dot, Shape>()>(
                    std::make_integer_sequence<int, rows>{}, first, width, by, runs, block, weights,
                    to, to_pixel, used);
              });
    };
    constexpr auto occurring = [](const auto& band_of) {
      if constexpr (with_form<Shape>) {
        return band_of(Shape::form);
      } else {
        return band_of(tiles_of(Shape::value.out_h(), Shape::value.out_w(), Dot::tile_rows))
            .occurring();
      }
    };
    constexpr std::integral_constant<int, occurring([](const auto& x) { return x.large; })> large;
    constexpr std::integral_constant<int, occurring([](const auto& x) { return x.small; })> small;
    static_assert(large <= Dot::tile_rows && small <= Dot::tile_rows);
    if constexpr (large > 0) run_constant(tiles.large, large, std::true_type{});
    if constexpr (small > 0) run_constant(tiles.small, small, std::bool_constant<large == 0>{});
  } else {
    const tiling tiles = tiles_of(s.out_h(), s.out_w(), shared_tile_rows<Dot, Vectors>);
    for (const band& b : {tiles.large, tiles.small}) {
      if (b.rows == 0) continue;
      const auto index = static_cast<std::size_t>(b.rows - 1);
      run_band(
          b, std::true_type{},
          [&](const auto& weights, const element* first, Out* to_pixel)
              __attribute__((always_inline)) {
                using kind = std::remove_cvref_t<decltype(weights)>;
                shared_tiles<Dot, Vectors, kind, To, Out>[index](first, s.out_w(), by, runs, block,
                                                                 weights, to, to_pixel, used);
              });
    }
  }
}

}  // namespace ctq::kernels::simd
