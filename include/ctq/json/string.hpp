// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/same_text.hpp"

// JSON strings: UTF-8 with escapes. Text is any type with append(std::string_view).

namespace ctq::json {

/// The length of the UTF-8 character at p != end: 1 to 4 bytes, or 0 if it is invalid (truncated,
/// overlong, a surrogate, beyond U+10FFFF).
/// Source  RFC 3629, section 4
[[nodiscard]] constexpr int utf8_length(const char* p, const char* end) {
  const auto byte = [p](int i) { return static_cast<unsigned char>(p[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (end - p < length) return 0;
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < least || byte(1) > most) return 0;
  for (int i = 2; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  return length;
}

[[nodiscard]] constexpr bool is_utf8(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const int length = utf8_length(p, end);
    if (length == 0) return false;
    p += length;
  }
  return true;
}

/// 0 to 15, or -1 if c is not a hexadecimal digit.
[[nodiscard]] constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The character of the escape \letter; 0 for an invalid letter, and for u.
[[nodiscard]] constexpr char escape_meaning(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/': return letter;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
  }
}

/// Appends one character as UTF-8.
/// Requires  c <= U+10FFFF, not a surrogate
template <class Text>
constexpr void append_utf8(Text& out, std::uint32_t c) {
  char bytes[4]{};
  std::size_t count = 0;
  const auto put = [&](std::uint32_t bits) { bytes[count++] = static_cast<char>(bits); };
  const auto follow = [&](int shift) { put(0x80U | ((c >> shift) & 0x3FU)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | (c >> 6)), follow(0);
  } else if (c < 0x10000) {
    put(0xE0U | (c >> 12)), follow(6), follow(0);
  } else {
    put(0xF0U | (c >> 18)), follow(12), follow(6), follow(0);
  }
  out.append(std::string_view{bytes, count});
}

/// Appends the value of a string. An unpaired surrogate becomes U+FFFD.
/// Requires  all escapes are valid, as checked by parse
template <class Text>
constexpr void append_unescaped(Text& out, std::string_view raw) {
  const char* p = raw.data();
  const char* const end = p + raw.size();
  const auto unit = [](const char* hex) {
    std::uint32_t bits = 0;
    for (int i = 0; i < 4; ++i) bits = bits * 16 + static_cast<std::uint32_t>(hex_digit(hex[i]));
    return bits;
  };
  while (p != end) {
    const char* const plain = p;
    while (p != end && *p != '\\') ++p;
    if (p != plain) out.append(std::string_view{plain, static_cast<std::size_t>(p - plain)});
    if (p == end) return;
    if (p[1] != 'u') {
      const char meant = escape_meaning(p[1]);
      out.append(std::string_view{&meant, 1});
      p += 2;
      continue;
    }
    std::uint32_t c = unit(p + 2);
    p += 6;
    if (c >= 0xD800 && c < 0xDC00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
      const std::uint32_t low = unit(p + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        p += 6;
      }
    }
    append_utf8(out, c >= 0xD800 && c < 0xE000 ? 0xFFFDU : c);
  }
}

/// A Text that compares what is appended with an expected text.
class expected_text {
 public:
  constexpr explicit expected_text(std::string_view text) : rest_(text) {}

  constexpr void append(std::string_view s) {
    same_ = same_ && s.size() <= rest_.size() && same_text(s, rest_.substr(0, s.size()));
    if (same_) rest_.remove_prefix(s.size());
  }
  [[nodiscard]] constexpr bool met() const { return same_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool same_ = true;
};

/// Appends text in quotes, escaping only what JSON requires.
template <class Text>
constexpr void append_string(Text& out, std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  constexpr std::string_view letters = "btn fr";  // U+0008 to U+000D
  const char* p = text.data();
  const char* const end = p + text.size();
  out.append("\"");
  while (p != end) {
    const char* const plain = p;
    while (p != end && *p != '"' && *p != '\\' && static_cast<unsigned char>(*p) >= 0x20) ++p;
    if (p != plain) out.append(std::string_view{plain, static_cast<std::size_t>(p - plain)});
    if (p == end) break;
    const auto code = static_cast<unsigned char>(*p++);
    if (code >= 0x20) {
      out.append(code == '"' ? "\\\"" : "\\\\");
    } else if (code >= '\b' && code <= '\r' && code != '\v') {
      out.append("\\");
      out.append(letters.substr(code - '\b', 1U));
    } else {
      out.append("\\u00");
      out.append(hex.substr(code >> 4, 1));
      out.append(hex.substr(code & 15U, 1));
    }
  }
  out.append("\"");
}

}  // namespace ctq::json
