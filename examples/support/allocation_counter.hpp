// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

// Counts what a program takes from the heap, to show that inference takes nothing. Whoever links
// allocation_counter.cpp gets operator new replaced, in all its forms.

namespace demo {

/// How often operator new has been called, by all threads, since the program began.
[[nodiscard]] std::size_t allocations() noexcept;

}  // namespace demo
