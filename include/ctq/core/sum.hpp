// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <initializer_list>

// The sum of a pack of user-defined length: sum({Arity...}). Not a fold expression, because clang
// limits those to 256 operands.

namespace ctq {

[[nodiscard]] consteval std::size_t sum(std::initializer_list<std::size_t> numbers) {
  std::size_t total = 0;
  for (const std::size_t n : numbers) total += n;
  return total;
}

}  // namespace ctq
