// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

// How many values a JSON text has, so that a constant can have space for them before it is parsed.

namespace ctq::json {

[[nodiscard]] constexpr bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/// The number of values in a valid text; for an invalid one at least the number parsed before the
/// error. Every value but the first follows one of [ { , : outside of strings.
[[nodiscard]] constexpr std::size_t count_values(const char* text, std::size_t size) {
  std::size_t count = 1;
  const char* const end = text + size;
  for (const char* p = text; p != end; ++p) {
    if (*p == '"') {
      for (++p; p != end && *p != '"';) p += *p == '\\' && p + 1 != end ? 2 : 1;
      if (p == end) break;
    } else if (*p == ',' || *p == ':') {
      ++count;
    } else if (*p == '[' || *p == '{') {
      while (p + 1 != end && is_space(p[1])) ++p;
      if (p + 1 != end && p[1] != ']' && p[1] != '}') ++count;
    }
  }
  return count;
}

}  // namespace ctq::json
