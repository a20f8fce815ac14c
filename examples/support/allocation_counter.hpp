// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

// Counts heap allocations, to show that inference does not allocate. Linking allocation_counter.cpp
// replaces all forms of operator new.

namespace demo {

/// The number of calls of operator new by all threads since the program started.
[[nodiscard]] std::size_t allocations() noexcept;

}  // namespace demo
