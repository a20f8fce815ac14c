// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

// The extents of a tensor, in PyTorch's logical order (N, C, H, W), independent of the memory
// layout.

namespace ctq {

inline constexpr std::size_t max_rank = 6;

struct shape {
  int extent[max_rank]{};
  int rank{};

  constexpr shape() = default;
  template <class... Int>
  requires(sizeof...(Int) > 0 && sizeof...(Int) <= max_rank) constexpr shape(Int... e)
      : extent{static_cast<int>(e)...}, rank{sizeof...(Int)} {}  // NOLINT

  [[nodiscard]] constexpr int operator[](int axis) const { return extent[axis]; }
  constexpr int& operator[](int axis) { return extent[axis]; }

  friend constexpr bool operator==(const shape&, const shape&) = default;
};

/// The number of elements; 1 for a scalar (rank 0).
[[nodiscard]] constexpr std::size_t numel(const shape& s) {
  std::size_t n = 1;
  for (int axis = 0; axis < s.rank; ++axis) n *= static_cast<std::size_t>(s[axis]);
  return n;
}

/// The memory layout: NCHW (contiguous, as in the graph), or NHWC (channels last).
enum class layout : unsigned char { nchw, nhwc };

}  // namespace ctq
