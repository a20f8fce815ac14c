// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <initializer_list>

// The total of a pack whose length the user decides: sum({Arity...}). A fold would do, but clang
// stops at 256 operands.

namespace ctq {

[[nodiscard]] consteval std::size_t sum(std::initializer_list<std::size_t> numbers) {
  std::size_t total = 0;
  for (const std::size_t n : numbers) total += n;
  return total;
}

}  // namespace ctq
