// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/text.hpp"

// Positions in a text, in the format of compilers: npu.json:12:7.

namespace ctq::json {

/// A line and a column, both from 1. Columns count bytes.
struct position {
  int line = 1;
  int column = 1;

  friend constexpr bool operator==(position, position) = default;
};

/// The position of a byte, or of the end.
/// Requires  offset <= size
[[nodiscard]] constexpr position position_at(const char* text, std::size_t size,
                                             std::size_t offset) {
  const char* const at = text + (offset < size ? offset : size);
  const char* begin = text;  // of the line
  int line = 1;
  for (const char* p = text; p != at; ++p) {
    if (*p != '\n') continue;
    begin = p + 1;
    ++line;
  }
  return {line, static_cast<int>(at - begin) + 1};
}

/// Appends "npu.json:12:7".
template <class Text>
constexpr void append_position(Text& out, std::string_view file, position p) {
  append_all(out, file, ":", p.line, ":", p.column);
}

}  // namespace ctq::json
