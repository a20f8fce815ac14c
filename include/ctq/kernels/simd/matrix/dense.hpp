// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/convolution/conv2d_form.hpp"
#include "ctq/kernels/simd/convolution/pad.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/inline_by_flatten.hpp"
#include "ctq/kernels/simd/matrix/blocking.hpp"
#include "ctq/kernels/simd/matrix/panel_sweep.hpp"
#include "ctq/kernels/simd/matrix/register_tile.hpp"
#include "ctq/kernels/simd/pack.hpp"

// Convolution and linear layers by dot products of registers: a loop over panels of output
// channels, in it one over all pixels of a part of the image.

namespace ctq::kernels::simd {

/// All groups and panels of one padded image. wide: workspace of wide_panel_bytes. Partial panels,
/// the last of a group, are separate: in one loop with the others g++ would spill accumulators
/// (33x130x127: 3.9 instead of 2.9 us).
template <class Dot, class Shape, class To, class Out>
CTQ_INLINE_BY_FLATTEN inline void dense(const Shape& shape, const typename Dot::element* in,
                                        const std::byte* packed, std::byte* wide, const To& to,
                                        Out* out) {
  using narrow = narrow_dot_of<Dot>;
  static_assert(reads_what_is_packed_for<narrow, Dot>());
  const conv2d_shape s = shape;
  if (s.out_h() <= 0 || s.out_w() <= 0) return;
  const auto steps = static_cast<std::size_t>(runs_of<Dot>(s).total_steps());
  for (int group = 0; group < s.groups; ++group) {
    const typename Dot::element* from = in + group * s.in_group();
    const auto run = [&]<class D>(std::type_identity<D>, auto vectors, auto used)
                         CTQ_INLINE_BY_FLATTEN {
                           sweep<D, vectors, Dot>(shape, from, packed, wide, to, out, used);
                           packed += block_layout<Dot>{vectors, steps}.bytes();
                           out += used;
                         };
    // One pixel with several panels at once, as long as there are that many.
    const auto run_at_once = [&](auto many, int& panels_of_group) CTQ_INLINE_BY_FLATTEN {
      const std::size_t bytes = block_layout<Dot>{2, steps}.bytes();
      const strides by = strides_of(s);
      const k_runs runs = known_runs<Dot>(shape);
      for (; panels_of_group >= many; panels_of_group -= many) {
        if constexpr (specialized_shape<Shape>) {
          tile_of_panels<Dot, many, true>(from, by, runs, packed, bytes, to, out);
        } else {
          shared_tile_of_panels<Dot, many>(from, by, runs, packed, bytes, to, out);
        }
        packed += many * bytes;
        out += many * panels<Dot>::width;
      }
    };
    const auto run_whole = [&](int panels_of_group) CTQ_INLINE_BY_FLATTEN {
      using width = std::integral_constant<int, panels<Dot>::width>;
      const auto run_one_pixel = [&]() CTQ_INLINE_BY_FLATTEN {
        run_at_once(std::integral_constant<int, 4>{}, panels_of_group);
        run_at_once(std::integral_constant<int, 2>{}, panels_of_group);
      };
      if constexpr (with_form<Shape>) {
        if constexpr (Shape::form.four) {
          run_at_once(std::integral_constant<int, 4>{}, panels_of_group);
        }
        if constexpr (Shape::form.two) {
          run_at_once(std::integral_constant<int, 2>{}, panels_of_group);
        }
        if constexpr (!Shape::form.one) return;
      } else if constexpr (!constant_shape<Shape>) {
        if (has_one_pixel(s)) run_one_pixel();
      } else if constexpr (has_one_pixel(Shape::value)) {
        run_one_pixel();
      }
      for (; panels_of_group > 0; --panels_of_group) {
        run(std::type_identity<Dot>{}, std::integral_constant<int, 2>{}, width{});
      }
    };
    if constexpr (constant_shape<Shape>) {
      constexpr panels<Dot> of(Shape::value);
      if constexpr (of.whole() > 0) run_whole(of.whole());
      unroll<of.count() - of.whole()>([&](auto i) CTQ_INLINE_BY_FLATTEN {
        constexpr int panel = of.whole() + i;
        constexpr std::integral_constant<int, of.used(panel)> used;
        using dot = std::conditional_t<(used <= narrow::lanes), narrow, Dot>;
        run(std::type_identity<dot>{}, std::integral_constant<int, of.vectors(panel)>{}, used);
      });
    } else if constexpr (with_form<Shape>) {
      constexpr conv2d_form form = Shape::form;
      const panels<Dot> of(s);
      if constexpr (form.four || form.two || form.one) run_whole(of.whole());
      unroll<std::size(form.partial)>([&](auto i) CTQ_INLINE_BY_FLATTEN {
        constexpr partial_panel p = form.partial[i];
        if constexpr (p.vectors > 0) {
          using dot = std::conditional_t<p.narrow, narrow, Dot>;
          constexpr std::integral_constant<int, p.vectors> vectors;
          constexpr int lanes = p.narrow ? narrow_lanes<Dot> : p.vectors * Dot::lanes;
          if constexpr (p.full) {
            run(std::type_identity<dot>{}, vectors, std::integral_constant<int, lanes>{});
          } else {
            run(std::type_identity<dot>{}, vectors, of.used(of.whole() + i));
          }
        }
      });
    } else {
      const panels<Dot> of(s);
      run_whole(of.whole());
      // Whether all lanes of a register are channels: stores without masks, 1.3 times as fast in
      // 3x3 convolutions of 1 to 8 channels. Float models are for comparison, so fewer functions
      // are compiled for them.
      constexpr bool has_unmasked = !std::is_same_v<typename Dot::element, float>;
      const auto run_vectors = [&]<class D>(std::type_identity<D> dot, auto vectors, int used)
                                   CTQ_INLINE_BY_FLATTEN {
                                     constexpr std::integral_constant<int, D::lanes> all;
                                     if constexpr (vectors == 1 && has_unmasked) {
                                       if (used == all) return run(dot, vectors, all);
                                     }
                                     run(dot, vectors, used);
                                   };
      for (int panel = of.whole(); panel < of.count(); ++panel) {
        const int used = of.used(panel);
        if constexpr (narrow::lanes < Dot::lanes) {
          if (used <= narrow::lanes) {
            run_vectors(std::type_identity<narrow>{}, std::integral_constant<int, 1>{}, used);
            continue;
          }
        }
        const auto run_rest = [&](auto n) CTQ_INLINE_BY_FLATTEN {
          run_vectors(std::type_identity<Dot>{}, n, used);
        };
        with_constant<2>(of.vectors(panel), run_rest);
      }
    }
  }
}

/// One image in parts; the last one is moved back to end with it.
template <class Dot, class Shape, class In, class To, class Out>
CTQ_INLINE_BY_FLATTEN inline void dense_in_parts(const Shape& shape, const In* in,
                                                 const std::byte* packed, const To& to,
                                                 std::int32_t in_zero_point, Out* out,
                                                 std::byte* workspace) {
  using element = typename Dot::element;
  const conv2d_shape s = shape;
  const auto run = [&](const auto& part) CTQ_INLINE_BY_FLATTEN {
    const conv2d_shape extents = part;
    const int pixels = extents.in_w;
    const int parts = pixels == s.in_w ? 1 : ceil_div(s.in_w, pixels);
    for (int i = 0; i < parts; ++i) {
      const std::ptrdiff_t first = std::min(i * pixels, s.in_w - pixels);
      const element* const from = input_of<Dot, method::dense>(
          part, in + first * s.in_channels, in_zero_point, workspace + wide_panel_bytes<Dot>(part));
      dense<Dot>(part, from, packed, workspace, to, out + first * s.out_channels);
    }
  };
  if constexpr (constant_shape<Shape>) {
    run(std::integral_constant<conv2d_shape, part_of<Dot>(Shape::value)>{});
  } else if constexpr (with_form<Shape>) {
    run(with_extents(shape, part_of<Dot>(s)));
  } else {
    run(part_of<Dot>(s));
  }
}

}  // namespace ctq::kernels::simd
