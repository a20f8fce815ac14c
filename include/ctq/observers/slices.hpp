// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shape.hpp"

// The slices of a contiguous tensor along one axis, in the order of memory.

namespace ctq::observers {

/// Normalizes axis; < 0 counts from the end. -1 if the shape has no such axis.
[[nodiscard]] constexpr int axis_index(const shape& s, int axis) {
  const int index = axis < 0 ? axis + s.rank : axis;
  return index >= 0 && index < s.rank ? index : -1;
}

/// Calls each(channel, offset, count) for every contiguous run of elements with the same index
/// along axis.
/// Requires  the shape has this axis
template <class Each>
constexpr void for_each_slice(const shape& s, int axis, Each each) {
  const int index = axis_index(s, axis);
  std::size_t count = 1;
  for (int i = index + 1; i < s.rank; ++i) count *= static_cast<std::size_t>(s[i]);
  const auto channels = static_cast<std::size_t>(s[index]);
  const std::size_t end = numel(s);
  for (std::size_t offset = 0, channel = 0; offset < end; offset += count) {
    each(channel, offset, count);
    channel = channel + 1 == channels ? 0 : channel + 1;
  }
}

}  // namespace ctq::observers
