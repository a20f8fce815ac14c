// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shape.hpp"

// Elements of tensors that are broadcast against each other, for ops whose functions compute them.

namespace ctq::descriptors::functions {

/// Calls f(i, at...) for each element i of the output, in the order of its axes: at is the element
/// of each input that belongs to it.
template <class F, class... Shape>
void for_each_broadcast(const shape& out, F f, const Shape&... in) {
  constexpr std::size_t inputs = sizeof...(Shape);
  std::size_t step[inputs][max_rank]{};
  std::size_t input = 0;
  const auto set_steps = [&](const shape& s) {
    std::size_t next = 1;
    for (int axis = s.rank - 1; axis >= 0; --axis) {
      step[input][axis + out.rank - s.rank] = s[axis] == 1 ? 0 : next;
      next *= static_cast<std::size_t>(s[axis]);
    }
    ++input;
  };
  (set_steps(in), ...);
  int index[max_rank]{};
  std::size_t at[inputs]{};
  const std::size_t count = numel(out);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (inputs == 1) f(i, at[0]);
    if constexpr (inputs == 2) f(i, at[0], at[1]);
    if constexpr (inputs == 3) f(i, at[0], at[1], at[2]);
    for (int axis = out.rank - 1; axis >= 0; --axis) {
      const bool ends = ++index[axis] == out[axis];
      const auto back = static_cast<std::size_t>(out[axis] - 1);
      for (std::size_t k = 0; k < inputs; ++k)
        at[k] = ends ? at[k] - back * step[k][axis] : at[k] + step[k][axis];
      if (!ends) break;
      index[axis] = 0;
    }
  }
}

}  // namespace ctq::descriptors::functions
