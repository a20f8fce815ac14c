// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

// Strings built in constant expressions and at run time, for error messages.

namespace ctq {

template <std::size_t Capacity>
struct static_text {
  char chars[Capacity]{};
  std::size_t count{};

  [[nodiscard]] constexpr std::string_view view() const { return {chars, count}; }
  [[nodiscard]] constexpr bool empty() const { return count == 0; }

  /// Truncates if the capacity is exceeded.
  [[gnu::noinline]] constexpr static_text& append(std::string_view s) {
    const std::size_t room = Capacity - count;
    const std::size_t n = s.size() < room ? s.size() : room;
    for (std::size_t i = 0; i < n; ++i) chars[count + i] = s[i];
    count += n;
    return *this;
  }
};

/// Counts the bytes of a text instead of storing them; used like a static_text.
struct text_length {
  std::size_t count{};

  constexpr text_length& append(std::string_view s) {
    count += s.size();
    return *this;
  }
};

/// Appends the digits of a number: one function for all integer types.
template <class Text>
[[gnu::noinline]] constexpr void append_digits(Text& out, unsigned long long magnitude,
                                               bool negative) {
  char digits[24]{};
  std::size_t at = sizeof(digits);
  do {
    digits[--at] = static_cast<char>('0' + static_cast<int>(magnitude % 10));
    magnitude /= 10;
  } while (magnitude != 0);
  if (negative) digits[--at] = '-';
  out.append(std::string_view{digits + at, sizeof(digits) - at});
}

/// Appends an integer to any type with append(std::string_view).
template <class Text>
constexpr void append_number(Text& out, std::integral auto number) {
  const auto bits = static_cast<unsigned long long>(number);
  const bool negative = number < 0;
  append_digits(out, negative ? 0 - bits : bits, negative);
}

/// Appends a number with six significant digits, as printf's %g: 0.01, 2.5, 1.19209e-07.
template <class Text>
[[gnu::cold]] constexpr void append_decimal(Text& out, double x) {
  if (x != x) return void(out.append("nan"));
  if (x < 0) out.append("-");
  if (x < 0) x = -x;
  if (x == 0) return void(out.append("0"));
  if (x > 1.7976931348623157e308) return void(out.append("inf"));
  int exponent = 0;
  for (; x >= 10; x /= 10) ++exponent;
  for (; x < 1; x *= 10) --exponent;
  auto digits = static_cast<long>(x * 100000 + 0.5);  // six of them
  if (digits >= 1000000) digits /= 10, ++exponent;
  const bool scientific = exponent < -4 || exponent > 5;
  int places = scientific ? 5 : 5 - exponent;
  for (; places > 0 && digits % 10 == 0; digits /= 10) --places;
  long unit = 1;
  for (int i = 0; i < places; ++i) unit *= 10;
  append_number(out, digits / unit);
  if (places > 0) out.append(".");
  for (long u = unit / 10; u > 0; u /= 10) append_number(out, digits / u % 10);
  if (!scientific) return;
  out.append(exponent < 0 ? "e-" : "e+");
  if (exponent > -10 && exponent < 10) out.append("0");
  append_number(out, exponent < 0 ? -exponent : exponent);
}

template <class Text>
constexpr void append_part(Text& out, std::string_view word) {
  out.append(word);
}
template <class Text, std::integral Number>
constexpr void append_part(Text& out, Number number) {
  append_number(out, number);
}

/// Appends strings and integers in order. Takes them by value, so that literals of all lengths have
/// one type: otherwise the compiler would instantiate a function for each length. All functions
/// that take parts of a text do so.
template <class Text, class... Part>
constexpr void append_all(Text& out, Part... part) {
  (append_part(out, part), ...);
}

}  // namespace ctq
