// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

// How memory that kernels read and write is aligned: the same for all instruction sets, so that
// offsets are constants of a plan.

namespace ctq::packing {

/// Packed weights, parameters, workspaces and arena values begin at multiples of this many bytes.
inline constexpr std::size_t alignment = 64;

/// The next multiple of `alignment`.
[[nodiscard]] constexpr std::size_t padded(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// The padded bytes of `count` numbers of 32 bits: biases, scales, multipliers.
[[nodiscard]] constexpr std::size_t vector_bytes(int count) {
  return padded(static_cast<std::size_t>(count) * 4);
}

}  // namespace ctq::packing
