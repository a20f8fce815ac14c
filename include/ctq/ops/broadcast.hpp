// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/ops/shape_checks.hpp"
#include "ctq/ops/strided_view.hpp"

// Broadcasting of two tensors, as in NumPy and PyTorch: axes are aligned from the last one on, and
// an extent of 1, or an axis that is not there, is repeated.

namespace ctq {

namespace shape_rules {

/// The shape of the result of a and b, or reports what does not match.
constexpr shape broadcast(const shape& a, const shape& b, diagnostic& d) {
  shape out = a.rank >= b.rank ? a : b;
  const shape& other = a.rank >= b.rank ? b : a;
  const int before = out.rank - other.rank;
  for (int axis = 0; axis < other.rank; ++axis) {
    int& extent = out.extent[before + axis];
    if (extent == 1) extent = other[axis];
    if (other[axis] == extent || other[axis] == 1) continue;
    complain(d, "reads shapes that do not broadcast");
    show_input(d, a);
    show_input(d, b);
    return {};
  }
  return out;
}

}  // namespace shape_rules

/// Whether the order of the elements of an image matters: with one channel or one pixel both orders
/// are equal.
[[nodiscard]] constexpr bool order_matters(const shape& s) {
  bool has_pixels = false;
  for (int axis = 2; axis < s.rank; ++axis) has_pixels = has_pixels || s.extent[axis] != 1;
  return has_pixels && s.extent[1] != 1;
}

/// The shape with axes of extent 1 before the first, so that it has `rank` axes.
[[nodiscard]] constexpr shape with_axes(const shape& s, int rank) {
  if (s.rank >= rank) return s;
  shape out;
  out.rank = rank;
  for (int axis = 0; axis < rank; ++axis)
    out.extent[axis] = axis < rank - s.rank ? 1 : s.extent[axis - rank + s.rank];
  return out;
}

/// How a kernel reads two tensors that are broadcast to `out`. Axes that both have, or that neither
/// has, are merged, so that loops are long. An extent of 0 means that more axes than a kernel has
/// are left.
///   order  that of the elements of all three; with nhwc, a tensor with fewer axes has one channel
///          or one pixel
[[nodiscard]] constexpr broadcast_shape broadcast_sizes(const shape& a, const shape& b,
                                                        const shape& out, layout order) {
  constexpr int axes = broadcast_shape::axes;
  const int all = out.rank > axes ? out.rank : axes;
  const shape extents[3] = {with_axes(a, all), with_axes(b, all), with_axes(out, all)};
  broadcast_shape s{.extent = {1, 1, 1, 1}};
  int first = axes;      // of the axes that are written, from the last on
  int next[2] = {1, 1};  // the stride along the next axis, if the tensor has it
  for (int i = all - 1; i >= 0; --i) {
    const int before = all - out.rank;  // axes of extent 1
    const int axis = i < before ? i : before + axis_in_memory(i - before, out.rank, order);
    const int extent = extents[2].extent[axis];
    if (extent == 1) continue;
    int stride[2]{};
    bool merges = first < axes;
    for (int t = 0; t < 2; ++t) {
      const int own = extents[t].extent[axis];
      stride[t] = own == 1 ? 0 : next[t];
      next[t] *= own;
      merges = merges && stride[t] == s.stride[t][first] * s.extent[first];
    }
    if (merges) {
      s.extent[first] *= extent;
      continue;
    }
    if (first == 0) return {};
    --first;
    s.extent[first] = extent;
    s.stride[0][first] = stride[0];
    s.stride[1][first] = stride[1];
  }
  if (first == axes) s.stride[0][axes - 1] = s.stride[1][axes - 1] = 1;
  return s;
}

}  // namespace ctq
