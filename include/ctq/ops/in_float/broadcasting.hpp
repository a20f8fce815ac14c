// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shape.hpp"

// Iterates over the elements of several tensors, which may be broadcast against each other.

namespace ctq::descriptors::functions {

/// Where an element is in several tensors, while an index runs through their common axes.
template <std::size_t Tensors, int MaxAxes>
struct joint_index {
  int axes = 0;
  int extent[MaxAxes]{};
  // From element to element; 0: the tensor has no such axis.
  std::size_t stride[Tensors][MaxAxes]{};
  int index[MaxAxes]{};
  std::size_t at[Tensors]{};

  /// Moves to the next element, the last axis fastest; from the last element to the first.
  void advance() noexcept {
    for (int axis = axes - 1; axis >= 0; --axis) {
      const bool ends = ++index[axis] == extent[axis];
      const auto back = static_cast<std::size_t>(extent[axis] - 1);
      for (std::size_t k = 0; k < Tensors; ++k)
        at[k] = ends ? at[k] - back * stride[k][axis] : at[k] + stride[k][axis];
      if (!ends) return;
      index[axis] = 0;
    }
  }
};

/// Calls f(i, at...) for each element i of the output, in the order of its axes: at is the element
/// of each input that belongs to it.
template <class F, class... Shape>
void for_each_broadcast(const shape& out, F f, const Shape&... in) {
  constexpr std::size_t inputs = sizeof...(Shape);
  joint_index<inputs, static_cast<int>(max_rank)> x{.axes = out.rank};
  for (int axis = 0; axis < out.rank; ++axis) x.extent[axis] = out[axis];
  std::size_t input = 0;
  const auto set_steps = [&](const shape& s) {
    std::size_t next = 1;
    for (int axis = s.rank - 1; axis >= 0; --axis) {
      x.stride[input][axis + out.rank - s.rank] = s[axis] == 1 ? 0 : next;
      next *= static_cast<std::size_t>(s[axis]);
    }
    ++input;
  };
  (set_steps(in), ...);
  const std::size_t count = numel(out);
  for (std::size_t i = 0; i < count; ++i, x.advance()) {
    if constexpr (inputs == 1) f(i, x.at[0]);
    if constexpr (inputs == 2) f(i, x.at[0], x.at[1]);
    if constexpr (inputs == 3) f(i, x.at[0], x.at[1], x.at[2]);
  }
}

}  // namespace ctq::descriptors::functions
