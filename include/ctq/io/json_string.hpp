// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Text as JSON holds it: UTF-8, checked, and its escapes.

namespace ctq {

/// The bytes of the first character: 1 to 4, or 0 if the text does not start with valid UTF-8
/// (cut off, longer than needed, a surrogate, past U+10FFFF). Source: RFC 3629, section 4.
[[nodiscard]] constexpr std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [byte](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (text.empty()) return 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

[[nodiscard]] constexpr bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// Appends one character. Requires a code point: below 0x110000, no surrogate.
inline void append_utf8(std::string& out, char32_t c) {
  const auto put = [&out](char32_t bits) { out.push_back(static_cast<char>(bits)); };
  const auto follow = [put, c](int shift) { put(0x80U | ((c >> shift) & 0x3FU)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) return put(0xC0U | (c >> 6)), follow(0);
  if (c < 0x10000) return put(0xE0U | (c >> 12)), follow(6), follow(0);
  put(0xF0U | (c >> 18)), follow(12), follow(6), follow(0);
}

/// Appends the text as a JSON string, quotes included. What JSON does not force into an escape
/// stays as it is: the bytes are those of Python's and Rust's safetensors.
inline void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  constexpr std::string_view plain = "\"\\\b\f\n\r\t";
  constexpr std::string_view letters = "\"\\bfnrt";
  out += '"';
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (const std::size_t i = plain.find(c); i != plain.npos) {
      (out += '\\') += letters[i];
    } else if (code < 0x20) {
      ((out += "\\u00") += hex[code >> 4]) += hex[code & 15U];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace ctq
