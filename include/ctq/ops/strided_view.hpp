// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shape.hpp"
#include "ctq/core/shapes/layout_shapes.hpp"

// Where the elements of a value are in the memory of another. Permutations, slices and expansions
// only change steps; elements are copied where a kernel needs them in order.

namespace ctq {

struct strided_view {
  ctq::shape shape{};
  int stride[max_rank]{};  // by axis: the distance of two neighbours, in elements
  int offset{};            // of the first element
};

/// Which axis of a tensor is the one at a position in memory, the last one fastest.
[[nodiscard]] constexpr int axis_in_memory(int position, int rank, layout order) {
  if (order == layout::nchw || rank < 3 || position == 0) return position;
  return position == rank - 1 ? 1 : position + 1;
}

/// All elements of a value, without gaps.
[[nodiscard]] constexpr strided_view contiguous_view(const shape& s, layout order) {
  strided_view v{.shape = s};
  int stride = 1;
  for (int place = s.rank - 1; place >= 0; --place) {
    const int axis = axis_in_memory(place, s.rank, order);
    v.stride[axis] = stride;
    stride *= s.extent[axis];
  }
  return v;
}

/// Whether the view is the same as a value in this order, without gaps.
[[nodiscard]] constexpr bool is_contiguous(const strided_view& v, layout order) {
  const strided_view whole = contiguous_view(v.shape, order);
  for (int axis = 0; axis < v.shape.rank; ++axis)
    if (v.shape.extent[axis] != 1 && v.stride[axis] != whole.stride[axis]) return false;
  return v.offset == 0;
}

/// The view of transposed matrices.
[[nodiscard]] constexpr strided_view with_last_axes_exchanged(strided_view v) {
  const strided_view given = v;
  const int last = v.shape.rank - 1;
  for (int i = 0; i < 2; ++i) {
    v.shape[last - i] = given.shape[last - 1 + i];
    v.stride[last - i] = given.stride[last - 1 + i];
  }
  return v;
}

/// Changes the extents of a view, keeping the elements and their order; false if there are no such
/// steps, so that the elements must be copied first.
[[nodiscard]] constexpr bool reshape_view(strided_view& v, const shape& to) {
  strided_view out{.shape = to, .offset = v.offset};
  int axis = to.rank - 1;
  int stride = v.shape.rank == 0 ? 1 : v.stride[v.shape.rank - 1];  // of the axes that are merged
  int merged = 1;
  for (int from = v.shape.rank - 1; from >= 0; --from) {
    merged *= v.shape.extent[from];
    if (from > 0 && (v.shape.extent[from - 1] == 1 || v.stride[from - 1] == merged * stride))
      continue;
    int written = 1;
    for (; axis >= 0 && (written < merged || to.extent[axis] == 1); --axis) {
      out.stride[axis] = written * stride;
      written *= to.extent[axis];
    }
    if (written != merged) return false;
    if (from > 0) stride = v.stride[from - 1];
    merged = 1;
  }
  for (; axis >= 0; --axis) out.stride[axis] = 1;  // of a scalar: extents of 1
  v = out;
  return true;
}

/// How a kernel copies the elements of a view. Neighbouring axes are merged where they can be.
[[nodiscard]] constexpr reorder_shape reorder_sizes(const strided_view& v) {
  reorder_shape s{.offset = v.offset};
  for (int& extent : s.extent) extent = 1;
  int first = reorder_shape::axes;  // of the axes that are written, from the last on
  for (int axis = v.shape.rank - 1; axis >= 0; --axis) {
    const int extent = v.shape.extent[axis];
    if (extent == 1) continue;
    if (first < reorder_shape::axes && v.stride[axis] == s.stride[first] * s.extent[first]) {
      s.extent[first] *= extent;
      continue;
    }
    --first;
    s.extent[first] = extent;
    s.stride[first] = v.stride[axis];
  }
  return s;
}

}  // namespace ctq
