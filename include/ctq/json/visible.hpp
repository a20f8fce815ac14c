// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/json/string.hpp"

// Output of untrusted text to a terminal: characters that move the cursor, end the line or change
// the text direction are shown as escapes, such as \n, \x1b or \u202e.

namespace ctq::json {

/// The first character of a text and its visible form.
struct shown_character {
  std::size_t bytes{};  // in the text
  char text[6]{};       // the escape; empty if the character is shown unchanged
  std::size_t size{};

  [[nodiscard]] constexpr std::string_view escape() const { return {text, size}; }
};

/// A format character that reorders or hides text: U+061C, U+200B to U+200F, U+2028 to U+202E,
/// U+2060 to U+206F, U+FEFF.
[[nodiscard]] constexpr bool is_invisible(std::uint32_t c) {
  return c == 0x61C || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

/// A byte that is not UTF-8 counts as a character.
/// Requires  text is not empty
[[nodiscard]] constexpr shown_character first_shown(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  const char* const p = text.data();
  const int length = utf8_length(p, p + text.size());
  shown_character c{length == 0 ? 1 : static_cast<std::size_t>(length), {}, 0};
  const auto put = [&c](char letter) { c.text[c.size++] = letter; };
  const auto put_hex = [&put, hex](std::uint32_t code, int digits) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) put(hex[code >> shift & 15U]);
  };
  std::uint32_t code = static_cast<unsigned char>(*p);
  if (length == 2 || length == 3) code &= length == 2 ? 0x1FU : 0x0FU;
  for (int i = 1; i < length; ++i) code = code << 6 | (static_cast<unsigned char>(p[i]) & 0x3FU);
  if (length == 1 && (code == '\n' || code == '\r' || code == '\t')) {
    put('\\');
    put(code == '\n' ? 'n' : code == '\r' ? 'r' : 't');
  } else if (length == 0 || code < 0x20 || code == 0x7F) {
    put('\\'), put('x');
    put_hex(code, 2);
  } else if ((length == 2 && code < 0xA0) || (length < 4 && is_invisible(code))) {
    put('\\'), put('u');
    put_hex(code, 4);
  }
  return c;
}

/// Appends the text in visible form.
template <class Text>
constexpr void append_visible(Text& out, std::string_view text) {
  while (!text.empty()) {
    const shown_character c = first_shown(text);
    out.append(c.size == 0 ? text.substr(0, c.bytes) : c.escape());
    text.remove_prefix(c.bytes);
  }
}

}  // namespace ctq::json
