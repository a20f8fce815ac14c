// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/simd/convolution/conv2d_form.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/inline_by_flatten.hpp"
#include "ctq/kernels/simd/matrix/panel_weights.hpp"
#include "ctq/kernels/simd/matrix/register_tile.hpp"

// All tiles of an image with one panel of weights: loops over bands of tiles of one size. A known
// shape has its tiles inlined; run-time shapes share a function for each number of rows.

namespace ctq::kernels::simd {

/// The pixels of the largest tile of run-time extents. Floats have fewer functions, since float
/// models are for comparison: 14 rows would be 2 % faster and take g++ 1 s more (AVX-512, a small
/// CNN).
template <class Dot, int Vectors>
inline constexpr int shared_tile_rows = std::is_same_v<typename Dot::element, float>
                                            ? std::min(Dot::tile_rows, Vectors == 1 ? 7 : 9)
                                            : Dot::tile_rows;

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

/// What is common to all tiles of an image that are computed with one panel.
template <class Dot, class Packed, class Out>
struct panel_sweep {
  const typename Dot::element* in;
  const std::byte* block;  // weights, packed for Packed
  std::byte* wide;         // workspace of wide_panel_bytes, or null if weights are read as packed
  Out* out;
  strides by;
  k_runs runs;
  int out_w;
};

/// Computes the tiles of a band. tile_of(weights, first input, first output) computes a tile. If
/// weights are widened and `widens` (a bool or a constant) is true, the first tile widens them;
/// otherwise they are widened already.
template <class Dot, int Vectors, class Shape, class Packed, class Out, class Widens, class TileOf>
CTQ_INLINE_BY_FLATTEN inline void run_band(const band& b, const panel_sweep<Dot, Packed, Out>& p,
                                           Widens widens, const TileOf& tile_of) {
  const packed_weights<Dot, Packed> packed{p.block + block_layout<Packed>{Vectors, 0}.weights()};
  [[maybe_unused]] bool first_widens = widens;
  for (int i = 0; i < b.y_count; ++i) {
    const int y = b.y + i * b.y_step;
    for (int j = 0; j < b.x_count; ++j) {
      const int x = b.x + j * b.x_step;
      const auto* const first = p.in + y * p.by.y + x * p.by.x;
      Out* const to_pixel = p.out + (std::ptrdiff_t{y} * p.out_w + x) * p.by.out;
      if constexpr (reads_packed_weights<Packed, Shape>()) {
        tile_of(packed, first, to_pixel);
      } else {
        if constexpr (!specialized_shape<Shape>) {
          if (p.wide == nullptr) {
            tile_of(packed, first, to_pixel);
            continue;
          }
        }
        if (widens && first_widens) {
          tile_of(widening_weights<Dot, Packed>{packed, p.wide}, first, to_pixel);
          first_widens = false;
        } else {
          tile_of(widened_weights<Dot, Packed>{p.wide}, first, to_pixel);
        }
      }
    }
  }
}

/// The tiles of a band, compiled once for all run-time shapes.
template <class Dot, int Rows, int Vectors, class Packed, class To, class Out, class Used>
[[gnu::noinline, gnu::flatten]] void shared_band(const band& b,
                                                 const panel_sweep<Dot, Packed, Out>& p,
                                                 bool widens, const To& to, Used used) {
  run_band<Dot, Vectors, conv2d_shape>(
      b, p, widens,
      [&](const auto& weights, const auto* first, Out* to_pixel) CTQ_INLINE_BY_FLATTEN {
        tile<Dot, Vectors, false, false>(std::make_integer_sequence<int, Rows>{}, first, p.out_w,
                                         p.by, p.runs, p.block, weights, to, to_pixel, used);
      });
}

/// shared_band for tiles of 1, 2, ... rows.
template <class Dot, int Vectors, class Packed, class To, class Out, class Used>
inline constexpr auto shared_bands = []<int... i>(std::integer_sequence<int, i...>) {
  return std::array{&shared_band<Dot, i + 1, Vectors, Packed, To, Out, Used>...};
}
(std::make_integer_sequence<int, shared_tile_rows<Dot, Vectors>>{});

/// All tiles of an image with one panel, whose weights are in `block`, packed for Packed, and whose
/// outputs start at `out`. wide: workspace of wide_panel_bytes · Used: int, or a constant
template <class Dot, int Vectors, class Packed, class Shape, class To, class Out, class Used>
CTQ_INLINE_BY_FLATTEN inline void sweep(const Shape& shape, const typename Dot::element* in,
                                        const std::byte* block, std::byte* wide, const To& to,
                                        Out* out, Used used) {
  const conv2d_shape s = shape;
  panel_sweep<Dot, Packed, Out> p{in,       block, wide, out, strides_of(s), known_runs<Dot>(shape),
                                  s.out_w()};
  if constexpr (specialized_shape<Shape>) {
    const auto tiling_of = [](const conv2d_shape& x) {
      return tiles_of(x.out_h(), x.out_w(), Dot::tile_rows);
    };
    const tiling tiles = evaluated(shape, tiling_of);
    // If rows of the output are longer than a tile, a tile never spans two of them.
    const int width = [&] {
      if constexpr (with_form<Shape>) {
        return Shape::form.width > 0 ? Shape::form.width : Dot::tile_rows + 1;
      } else {
        return s.out_w();
      }
    }();
    const auto run_constant = [&](const band& b, auto rows, auto widens) CTQ_INLINE_BY_FLATTEN {
      run_band<Dot, Vectors, Shape>(b, p, widens,
                                    [&](const auto& weights, const auto* first, Out* to_pixel)
                                        CTQ_INLINE_BY_FLATTEN {
                                          tile<Dot, Vectors, true, pixels_overlap<Dot, Shape>()>(
                                              std::make_integer_sequence<int, rows>{}, first, width,
                                              p.by, p.runs, block, weights, to, to_pixel, used);
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
    if (wide_panel_bytes<Packed>(s) == 0) p.wide = nullptr;
    const tiling tiles = tiles_of(s.out_h(), s.out_w(), shared_tile_rows<Dot, Vectors>);
    constexpr auto& bands = shared_bands<Dot, Vectors, Packed, To, Out, Used>;
    const auto run = [&](const band& b, bool widens) {
      if (b.occurring() > 0) bands[static_cast<std::size_t>(b.rows - 1)](b, p, widens, to, used);
    };
    run(tiles.large, true);
    run(tiles.small, tiles.large.occurring() == 0);
  }
}

}  // namespace ctq::kernels::simd
