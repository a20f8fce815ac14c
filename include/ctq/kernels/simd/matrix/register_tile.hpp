// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/inline_by_flatten.hpp"
#include "ctq/kernels/simd/matrix/panel_weights.hpp"

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
/// block_layout and k_runs. Stores `used` channels of each pixel. Not CTQ_INLINE_BY_FLATTEN: g++
/// does not inline a tile of several shapes, for the size of its frame.
///   Specialized  whether the shape is a specialized_shape
template <class Dot, int Vectors, bool Specialized, bool PixelsOverlap, class Weights, class To,
          class Out, class Used, int... m>
[[gnu::always_inline]] inline void tile(std::integer_sequence<int, m...>,
                                        const typename Dot::element* first, int width,
                                        const strides& by, const k_runs& runs,
                                        const std::byte* block, Weights weights, const To& to,
                                        Out* out, Used used) {
  using vec = typename Dot::vec;
  using element = typename Dot::element;
  constexpr block_layout<typename Weights::packed> layout{Vectors, 0};

  constexpr int count = sizeof...(m);
  constexpr int last = count - 1;
  const element* pixel[count];
  if (width >= count) {
    ((pixel[m] = first + m * by.x), ...);
  } else {
    int x = 0;
    const element* next = first;
    const auto advance = [&]() __attribute__((always_inline)) {
      const element* const here = next;
      next += ++x == width ? by.y - (width - 1) * by.x : by.x;
      if (x == width) x = 0;
      return here;
    };
    ((pixel[m] = advance()), ...);
  }

  vec acc[count][Vectors];
  (load<Dot>(acc[m], block), ...);
  const auto add_run = [&](std::ptrdiff_t at) __attribute__((always_inline)) {
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
  };
  for_k_runs<Specialized>(runs, by, add_run);

  const auto* multiplier = reinterpret_cast<const float*>(block + layout.multipliers());
  const auto bounds = Dot::store_constants(to);
  if constexpr (requires { Dot::store_tile(acc, multiplier, bounds, out, by.out, used); }) {
    Dot::store_tile(acc, multiplier, bounds, out, by.out, used);
  } else {
    (Dot::store(acc[m], multiplier, bounds, out + m * by.out, used), ...);
  }
}

/// A single output pixel times several full panels, `panel_bytes` apart: several streams of weights
/// are faster than one (1x4096x4096 on Zen 4, weights in L3: one 449 us, two 338; measured again,
/// two 304 to 352, four 290 to 323).
///   Specialized  whether the shape is a specialized_shape
template <class Dot, int Panels, bool Specialized, class To, class Out>
CTQ_INLINE_BY_FLATTEN inline void tile_of_panels(const typename Dot::element* pixel,
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
  const auto add_run = [&](std::ptrdiff_t run) __attribute__((always_inline)) {
    const typename Dot::element* at = pixel + run;
    for (int step = 0; step < runs.steps; ++step, at += Dot::k_group) {
      const vec a = Dot::broadcast(at);
      unroll<Panels>([&](auto panel) __attribute__((always_inline)) {
        vec b[2];
        weights[panel].next(b);
        add_products<Dot>(acc[panel], a, b);
      });
    }
  };
  for_k_runs<Specialized>(runs, by, add_run);
  constexpr std::integral_constant<int, panels<Dot>::width> width;
  const auto bounds = Dot::store_constants(to);
  unroll<Panels>([&](auto panel) __attribute__((always_inline)) {
    const auto* const multiplier =
        reinterpret_cast<const float*>(block + panel * panel_bytes + layout.multipliers());
    Dot::store(acc[panel], multiplier, bounds, out + panel * width, width);
  });
}

/// The same, compiled once for all run-time shapes.
template <class Dot, int Panels, class To, class Out>
[[gnu::noinline, gnu::flatten]] void shared_tile_of_panels(const typename Dot::element* pixel,
                                                           const strides& by, const k_runs& runs,
                                                           const std::byte* block,
                                                           std::size_t panel_bytes, const To& to,
                                                           Out* out) {
  tile_of_panels<Dot, Panels, false>(pixel, by, runs, block, panel_bytes, to, out);
}

}  // namespace ctq::kernels::simd
