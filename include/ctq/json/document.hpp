// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/same_text.hpp"
#include "ctq/core/text.hpp"
#include "ctq/json/count_values.hpp"
#include "ctq/json/element.hpp"
#include "ctq/json/number.hpp"
#include "ctq/json/string.hpp"

// A JSON parser for compile time and run time.
//
// Accepts exactly RFC 8259: no NaN, no comments, no trailing commas, no byte order mark. Errors
// have the same position as those of Python's json module.
//
// All loops use a const char*: string_view's operator[] is a call with an assertion, with which a
// text of 80 KB would exceed clang's limit of constexpr steps. For the same reason open containers
// are on an explicit stack; nothing recurses.

namespace ctq::json {

/// The maximum nesting depth of arrays and objects. The error message contains it, too.
inline constexpr std::size_t max_depth = 64;

/// Why a text is not JSON.
struct syntax_error {
  std::string_view rule{};  // json-syntax, json-depth, json-utf8; empty: no error
  std::string_view what{};  // "expected , or }"
  std::uint32_t at{};       // offset in the text

  [[nodiscard]] constexpr bool any() const { return !rule.empty(); }
};

/// Parses a text in one pass, without recursion and with few calls: in a constant expression a call
/// costs more than a character.
class parser {
 public:
  /// Requires  out has space for count_values(text, size) values
  constexpr parser(const char* text, std::size_t size, value* out)
      : text_(text), p_(text), end_(text + size), values_(out), unescaped_end_(size) {}

  constexpr syntax_error run() {
    if (end_ - p_ >= 3 && same_text({p_, 3}, "\xEF\xBB\xBF")) {
      fail(p_, "starts with a byte order mark");
      return error_;
    }
    bool more = true;
    while (more) more = value_and_separator();
    if (error_.any()) return error_;
    next();
    if (p_ != end_) fail(p_, "expected the end of the text");
    return error_;
  }

  /// The bytes of all strings with escapes, without them.
  [[nodiscard]] constexpr std::size_t unescaped() const {
    return unescaped_end_ - static_cast<std::size_t>(end_ - text_);
  }

 private:
  /// An array or object that is open at p_.
  struct level {
    std::uint32_t index = 0;
    std::uint32_t count = 0;
    char closing = 0;
  };

  /// Consumes a value, or the start of an array or object, and everything up to the next value.
  /// Returns false if there is none: the root is complete, or there is an error.
  constexpr bool value_and_separator() {
    ++open_[depth_].count;
    const char c = next();
    if (c == '"') return string() && separator();
    if (c == '[' || c == '{') return open(c);
    return (is_digit(c) || c == '-' ? number() : literal(c)) && separator();
  }

  /// Consumes what follows a value, as value_and_separator().
  constexpr bool separator() {
    while (depth_ != 0) {
      const char c = next();
      const char closing = open_[depth_].closing;
      if (c == ',') {
        ++p_;
        return closing == ']' || key();
      }
      if (c != closing) return fail(p_, closing == ']' ? "expected , or ]" : "expected , or }");
      close();
    }
    return false;
  }

  constexpr bool open(char bracket) {
    if (depth_ == max_depth) return fail(p_, "more than 64 open brackets", "json-depth");
    const bool array = bracket == '[';
    open_[++depth_] = {count_, 0, array ? ']' : '}'};
    values_[count_++] = {.type = array ? kind::array : kind::object, .begin = offset(p_)};
    ++p_;
    if (next() != open_[depth_].closing) return array || key();
    close();
    return separator();
  }

  constexpr void close() {
    ++p_;
    const level l = open_[depth_--];
    value& v = values_[l.index];
    v.end = offset(p_);
    v.next = count_;
    v.count = l.count;
  }

  constexpr bool key() {
    if (next() != '"') return fail(p_, "expected a key in quotes");
    if (!string()) return false;
    if (next() != ':') return fail(p_, "expected :");
    ++p_;
    return true;
  }

  constexpr bool string() {
    const char* p = p_ + 1;
    bool has_escapes = false;
    for (;;) {
      while (p != end_ && *p != '"' && *p != '\\' && static_cast<signed char>(*p) >= 0x20) ++p;
      if (p != end_ && *p == '"') break;
      has_escapes = has_escapes || (p != end_ && *p == '\\');
      p = special(p);
      if (p == nullptr) return false;
    }
    values_[count_] = {.type = kind::string,
                       .has_escapes = has_escapes,
                       .begin = offset(p_ + 1),
                       .end = offset(p),
                       .next = count_ + 1};
    if (has_escapes) measure(values_[count_]);
    ++count_;
    p_ = p + 1;
    return true;
  }

  /// Gives a string with escapes its place after the text.
  constexpr void measure(value& v) {
    text_length unescaped;
    append_unescaped(unescaped, {text_ + v.begin, v.end - v.begin});
    v.unescaped = static_cast<std::uint32_t>(unescaped_end_);
    v.number = static_cast<double>(unescaped.count);
    unescaped_end_ += unescaped.count;
  }

  /// Consumes an escape or a non-ASCII character of the string that starts at p_; returns the
  /// position after it, or null.
  constexpr const char* special(const char* p) {
    if (p == end_ || (*p == '\\' && p + 1 == end_)) return fail(p_, "unterminated string"), nullptr;
    if (*p == '\\') return escape(p + 1);
    if (static_cast<unsigned char>(*p) < 0x20)
      return fail(p, "a control character in a string"), nullptr;
    const int length = utf8_length(p, end_);
    if (length == 0) return fail(p, "not UTF-8", "json-utf8"), nullptr;
    return p + length;
  }

  /// Returns the position after the escape with this letter, or null.
  constexpr const char* escape(const char* letter) {
    if (escape_meaning(*letter) != 0) return letter + 1;
    if (*letter != 'u') return fail(letter - 1, "not a JSON escape"), nullptr;
    const char* digit = letter + 1;
    for (int i = 0; i < 4; ++i, ++digit)
      if (digit == end_ || hex_digit(*digit) < 0)
        return fail(letter, "expected 4 hex digits after u"), nullptr;
    return digit;
  }

  constexpr bool number() {
    const char* p = p_;
    if (*p == '-') ++p;
    const char* const whole = p;
    p = skip_digits(p);
    if (p == whole) return fail(p_, "expected a digit after -");
    if (*whole == '0' && p - whole > 1) return fail(whole + 1, "leading zero in a number");
    if (p != end_ && *p == '.') {
      const char* const digits = p + 1;
      if (skip_digits(digits) == digits) return fail(p, "expected a digit after .");
      p = skip_digits(digits);
    }
    if (p != end_ && (*p == 'e' || *p == 'E')) {
      const char* digits = p + 1;
      if (digits != end_ && (*digits == '+' || *digits == '-')) ++digits;
      if (skip_digits(digits) == digits) return fail(p, "expected a digit after e");
      p = skip_digits(digits);
    }
    return scalar(kind::number, p, to_double(p_, p));
  }

  constexpr bool literal(char first) {
    switch (first) {
      case 'n': return word("null", kind::null, 0);
      case 't': return word("true", kind::boolean, 1);
      case 'f': return word("false", kind::boolean, 0);
      default: return fail(p_, "expected a value");
    }
  }

  constexpr bool word(std::string_view w, kind type, double meaning) {
    if (static_cast<std::size_t>(end_ - p_) < w.size() || !same_text({p_, w.size()}, w))
      return fail(p_, "expected a value");
    return scalar(type, p_ + w.size(), meaning);
  }

  constexpr bool scalar(kind type, const char* end, double meaning) {
    values_[count_] = {.type = type,
                       .begin = offset(p_),
                       .end = offset(end),
                       .next = count_ + 1,
                       .number = meaning};
    ++count_;
    p_ = end;
    return true;
  }

  constexpr bool fail(const char* at, std::string_view what,
                      std::string_view rule = "json-syntax") {
    error_ = {rule, what, offset(at)};
    return false;
  }

  /// Skips white space and returns the next character, or 0 at the end, which is invalid
  /// everywhere.
  constexpr char next() {
    while (p_ != end_ && *p_ <= ' ' && is_space(*p_)) ++p_;
    return p_ == end_ ? '\0' : *p_;
  }

  [[nodiscard]] constexpr const char* skip_digits(const char* p) const {
    while (p != end_ && *p >= '0' && *p <= '9') ++p;
    return p;
  }

  [[nodiscard]] constexpr std::uint32_t offset(const char* p) const {
    return static_cast<std::uint32_t>(p - text_);
  }

  const char* const text_;
  const char* p_;
  const char* const end_;
  value* const values_;
  std::size_t unescaped_end_;
  std::uint32_t count_ = 0;
  level open_[max_depth + 1]{};  // [0] is unused
  std::size_t depth_ = 0;
  syntax_error error_;
};

/// A parsed text. If there is an error, the values are meaningless.
template <class Values>
struct basic_document {
  Values values;
  syntax_error error;
  std::size_t unescaped{};  // how many bytes append_names() appends

  /// The outermost value.
  /// Requires  no error; text is the parsed text, and names after it if element::name() is called
  [[nodiscard]] constexpr element root(const char* text) const { return {values.data(), text}; }
};

using document = basic_document<list<value>>;

/// Appends the values of all strings with escapes, which element::name() expects after the text.
/// Requires  no error
template <class Values, class Text>
constexpr void append_names(const basic_document<Values>& d, const char* text, Text& out) {
  if (d.unescaped == 0) return;
  for (const value& v : d.values)
    if (v.type == kind::string && v.has_escapes)
      append_unescaped(out, {text + v.begin, v.end - v.begin});
}

/// Requires  size < 2^31
[[nodiscard]] constexpr document parse(const char* text, std::size_t size) {
  document d{list<value>(count_values(text, size)), {}};
  parser p{text, size, d.values.begin()};
  d.error = p.run();
  d.unescaped = p.unescaped();
  return d;
}

}  // namespace ctq::json
