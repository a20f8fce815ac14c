// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <type_traits>

// Equality of strings that is cheap in constant expressions: operator== of string_view takes
// several constexpr steps per character, and a spec of 190 patterns compares thousands of names.

namespace ctq {

/// Whether both have the same bytes.
[[nodiscard]] constexpr bool same_text(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (a.empty()) return true;  // data may be null, which memcmp does not allow
  const char* p = a.data();
  const char* q = b.data();
#if !defined(__clang__)
  // g++ 12 does not evaluate memcmp from the middle of an array; for clang it is one step.
  if (std::is_constant_evaluated()) {
    for (const char* const end = p + a.size(); p != end; ++p, ++q)
      if (*p != *q) return false;
    return true;
  }
#endif
  return __builtin_memcmp(p, q, a.size()) == 0;
}

}  // namespace ctq
