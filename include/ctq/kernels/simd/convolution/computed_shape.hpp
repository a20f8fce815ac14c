// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"

// The convolution that kernels compute for a layer: of the same tensors, in fewer loops.

namespace ctq::kernels::simd {

/// A convolution whose groups have fewer output channels than a register of `lanes`, with as many
/// groups joined as fit: they become one group, with weights of 0 from the inputs of one to the
/// outputs of another. That takes no more multiplications, since a register of outputs has those of
/// all joined groups.
[[nodiscard]] constexpr conv2d_shape with_joined_groups(const conv2d_shape& s, int lanes) {
  if (s.groups == 1 || is_depthwise(s) || s.out_channels == 0) return s;
  conv2d_shape joined = s;
  for (int together = lanes / s.out_group(); together > 1; --together)
    if (s.groups % together == 0) {
      joined.groups = s.groups / together;
      break;
    }
  return joined;
}

/// The weights of the joined groups.
///
/// Shapes  weight [O,kh,kw,I/g] · result [O,kh,kw,I/j], where j are the groups of `joined`
template <class Weight>
[[nodiscard]] std::vector<Weight> weights_of_joined_groups(const conv2d_shape& s,
                                                           const conv2d_shape& joined,
                                                           const Weight* weight) {
  const int taps = s.kernel_h * s.kernel_w;
  std::vector<Weight> result(static_cast<std::size_t>(s.out_channels) *
                             static_cast<std::size_t>(taps) *
                             static_cast<std::size_t>(joined.in_group()));
  Weight* to = result.data();
  for (int channel = 0; channel < s.out_channels; ++channel) {
    const int group = channel % joined.out_group() / s.out_group();
    for (int tap = 0; tap < taps; ++tap, weight += s.in_group(), to += joined.in_group())
      std::copy_n(weight, s.in_group(), to + std::ptrdiff_t{group} * s.in_group());
  }
  return result;
}

/// The convolution that is computed for a layer of T: a matrix product if it is pointwise, and with
/// joined groups if T is an integer (for floats, a product with a weight of 0 might be NaN). As
/// many groups are joined as fill a narrow register, which a single group would occupy, too; some
/// machines multiply wide registers at half speed (3x3, 128 channels in 32 groups @28 on a Xeon
/// with AVX512-VNNI: 52 us instead of 60, with run-time extents 86 instead of 130; joined for wide
/// registers 51 and 70).
template <class Isa, class T>
[[nodiscard]] constexpr conv2d_shape computed_shape(const conv2d_shape& s) {
  if constexpr (std::is_same_v<T, float>) {
    return flattened(s);
  } else {
    return flattened(with_joined_groups(s, narrow_lanes<int8_dot<Isa>>));
  }
}
template <class Isa, class T, conv2d_shape S>
[[nodiscard]] constexpr auto computed_shape(std::integral_constant<conv2d_shape, S>) {
  return std::integral_constant<conv2d_shape, computed_shape<Isa, T>(S)>{};
}

}  // namespace ctq::kernels::simd
