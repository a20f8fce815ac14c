// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/kernels/simd/arch/all_dots.hpp"
#include "ctq/kernels/simd/convolution/column_blocking.hpp"
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/inline_by_flatten.hpp"
#include "ctq/kernels/simd/matrix/blocking.hpp"
#include "ctq/kernels/simd/matrix/tile_arch.hpp"

// The choice of the code that computes a convolution. Packing, workspace sizes and running all call
// it, so they agree.

namespace ctq::kernels::simd {

/// Calls f(type_identity<Model>, constant<method>, tile_blocking) with the method that computes a
/// convolution of T and its dot_arch or tile_arch; with a constant shape, f is compiled for these
/// only. The blocking is empty unless the extents are known at run time and tiles compute them.
///   Depthwise  whether the convolution may be a depthwise one
template <class Isa, class T, bool Depthwise = true, class Shape, class F>
CTQ_INLINE_BY_FLATTEN constexpr auto with_method(const Shape& shape, const F& f) {
  constexpr bool real = std::is_same_v<T, float>;
  using dense_dot = std::conditional_t<real, float_dot<Isa>, int8_dot<Isa>>;
  using channel_dot = std::conditional_t<real, float_dot<Isa>, depthwise_dot<Isa>>;
  using half_dot = halved_dot_of<channel_dot>;
  const auto with = [&]<method By>(const tile_blocking& tiles = {}) CTQ_INLINE_BY_FLATTEN {
    constexpr std::integral_constant<method, By> by;
    if constexpr (By == method::tiles) {
      return f(std::type_identity<int8_tile<Isa>>{}, by, tiles);
    } else if constexpr (By == method::dense) {
      return f(std::type_identity<dense_dot>{}, by, tiles);
    } else if constexpr (constant_shape<Shape>) {
      constexpr bool halved = by_columns_of_two_rows<channel_dot>(Shape::value);
      return f(std::type_identity<std::conditional_t<halved, half_dot, channel_dot>>{}, by, tiles);
    } else if constexpr (with_form<Shape>) {
      using dot = std::conditional_t<Shape::form.halved, half_dot, channel_dot>;
      return f(std::type_identity<dot>{}, by, tiles);
    } else {
      if constexpr (!std::is_same_v<half_dot, channel_dot>) {
        if (by_columns_of_two_rows<channel_dot>(shape))
          return f(std::type_identity<half_dot>{}, by, tiles);
      }
      return f(std::type_identity<channel_dot>{}, by, tiles);
    }
  };
  if constexpr (constant_shape<Shape>) {
    return with.template operator()<blocking_of<Isa, T>(Shape::value).by>();
  } else if constexpr (with_form<Shape>) {
    return with.template operator()<Shape::form.by>();
  } else {
    const layer_blocking p = blocking_of<Isa, T>(shape);
    if constexpr (has_tiles<Isa> && !real) {
      if (p.by == method::tiles) return with.template operator()<method::tiles>(p.tiles);
    }
    if constexpr (Depthwise) {
      if (p.by == method::depthwise) return with.template operator()<method::depthwise>();
    }
    return with.template operator()<method::dense>();
  }
}

}  // namespace ctq::kernels::simd
