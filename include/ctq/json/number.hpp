// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "ctq/core/text.hpp"
#include "ctq/json/natural.hpp"

// Exact conversion between decimal numbers and doubles, also in constant expressions, where
// <charconv> is not available.
//
// Both directions have a fast path, which is exact because a product or quotient of two exact
// doubles is rounded once (W. Clinger, How to read floating point numbers accurately, 1990), and a
// general path with multi-word integers.

namespace ctq::json {

/// The powers of ten that are exact in double.
inline constexpr double power_of_10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr int max_power_of_10 = 22;

/// digits * 10^exponent, or slightly more if there are further digits.
struct decimal {
  std::uint64_t digits{};
  std::int64_t exponent{};
  bool rest{};
};

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The first 19 digits of a JSON number without sign, without leading zeros.
[[nodiscard]] constexpr decimal leading_digits(const char* p, const char* last) {
  constexpr std::uint64_t full = 1'000'000'000'000'000'000;
  decimal d;
  const auto take = [&] {
    while (p != last && *p >= '0' && *p <= '9' && d.digits < full)
      d.digits = d.digits * 10 + static_cast<unsigned>(*p++ - '0');
  };
  const auto drop = [&] {
    const char* const first = p;
    for (; p != last && is_digit(*p); ++p) d.rest = d.rest || *p != '0';
    return p - first;
  };
  take();
  d.exponent = drop();
  if (p != last && *p == '.') {
    const char* const first = ++p;
    take();
    d.exponent -= p - first;
    drop();
  }
  if (p == last) return d;
  const bool negative = *++p == '-';
  if (negative || *p == '+') ++p;
  std::int64_t exponent = 0;
  for (; p != last; ++p)
    if (exponent < 1'000'000'000'000) exponent = exponent * 10 + (*p - '0');
  d.exponent += negative ? -exponent : exponent;
  return d;
}

/// A JSON number as an integer times 10^exponent. Digits after the first 768 are replaced by a
/// single one, zero if they all are: no midpoint between two doubles has more than 767 digits.
[[nodiscard]] constexpr natural all_digits(const char* p, const char* last,
                                           std::int64_t& exponent) {
  natural n{0};
  std::uint32_t chunk = 0, unit = 1;
  int used = 0;
  bool rest = false;
  for (; p != last && *p != 'e' && *p != 'E'; ++p) {
    if (*p == '.' || (used == 0 && *p == '0')) continue;
    if (used == 768) {
      rest = rest || *p != '0';
      continue;
    }
    ++used;
    chunk = chunk * 10 + static_cast<std::uint32_t>(*p - '0');
    unit *= 10;
    if (unit != 1'000'000'000) continue;
    n.multiply_add(unit, chunk);
    chunk = 0, unit = 1;
  }
  n.multiply_add(unit, chunk);
  if (rest) n.multiply_add(10, 1);
  exponent -= used - 19 + (rest ? 1 : 0);  // it was that of the first 19 digits
  return n;
}

/// q * 2^exponent as a double, to nearest, ties to even. The last bit of q is sticky: set if
/// anything below it is not zero.
/// Requires  2^61 <= q < 2^63
[[nodiscard]] constexpr double round_to_double(std::uint64_t q, int exponent) {
  const int top = static_cast<int>(std::bit_width(q)) - 1 + exponent;
  if (top > 1023) return std::numeric_limits<double>::infinity();
  const int base = top < -1022 ? -1022 : top;  // subnormal numbers share the last exponent
  const int dropped = base - 52 - exponent;
  if (dropped > 63) return 0;
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t tail = q & (2 * half - 1);
  std::uint64_t mantissa = q >> dropped;
  if (tail > half || (tail == half && mantissa % 2 == 1)) ++mantissa;
  // A mantissa of 53 bits raises the exponent by one, as does one that was rounded up to 54.
  return std::bit_cast<double>((static_cast<std::uint64_t>(base + 1022) << 52) + mantissa);
}

/// The double nearest to a valid JSON number, ties to even; infinity beyond the largest double.
[[nodiscard]] constexpr double to_double(const char* first, const char* last) {
  const double sign = *first == '-' ? -1 : 1;
  if (*first == '-') ++first;
  const decimal d = leading_digits(first, last);
  if (d.digits == 0) return sign * 0.0;
  if (!d.rest && d.digits <= (std::uint64_t{1} << 53) && d.exponent <= max_power_of_10 &&
      d.exponent >= -max_power_of_10) {
    const auto m = static_cast<double>(d.digits);
    return sign * (d.exponent < 0 ? m / power_of_10[-d.exponent] : m * power_of_10[d.exponent]);
  }
  if (d.exponent > 308) return sign * std::numeric_limits<double>::infinity();
  if (d.exponent < -343) return sign * 0.0;  // 19 digits below 1e-324
  std::int64_t e = d.exponent;
  natural n = d.rest ? all_digits(first, last, e) : natural{d.digits};
  natural divisor{1};
  const int exponent = static_cast<int>(e);
  (exponent < 0 ? divisor : n).multiply_by_power_of_5(exponent < 0 ? -exponent : exponent);
  const int shift = 62 - (n.width() - divisor.width());
  (shift < 0 ? divisor : n).shift_left(shift < 0 ? -shift : shift);
  const natural::quotient q = natural::divide(n, divisor);
  return sign * round_to_double(q.value | (q.exact ? 0 : 1), exponent - shift);
}

/// m * 2^e2 * 10^e10, rounded down.
/// Requires  the result is below 2^64
[[nodiscard]] constexpr natural::quotient scaled(std::uint64_t m, int e2, int e10) {
  natural n{m}, divisor{1};
  (e10 < 0 ? divisor : n).multiply_by_power_of_5(e10 < 0 ? -e10 : e10);
  const int shift = e2 + e10;
  (shift < 0 ? divisor : n).shift_left(shift < 0 ? -shift : shift);
  return natural::divide(n, divisor);
}

/// The shortest decimal that reads back as x, and of these the nearest.
/// Requires  x > 0, finite
[[nodiscard]] constexpr decimal shortest_decimal(double x) {
  // Two different decimals of at most 15 digits are different doubles: if one is x, it is the
  // shortest.
  for (int places = 0; places <= max_power_of_10; ++places) {
    const double whole = x * power_of_10[places];
    if (whole >= 1e15) break;
    // The result does not depend on contraction to an fma: the division decides.
    const auto digits = static_cast<std::uint64_t>(whole + 0.5);
    if (static_cast<double>(digits) / power_of_10[places] == x) return {digits, -places};
  }
  // x is m * 2^e. Numbers between the midpoints to both neighbours read back as x, as do the
  // midpoints if m is even. Scaled to 18 or 19 digits, that interval contains more than 10
  // integers.
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const int biased = static_cast<int>(bits >> 52);
  const std::uint64_t m = biased == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  const int e = (biased == 0 ? 1 : biased) - 1075;
  const bool near_below = fraction == 0 && biased > 1;  // the double below is half as far away
  const int top = e + static_cast<int>(std::bit_width(m)) - 1;
  const int power = 17 - (top * 78913 >> 18);  // 78913 / 2^18: log10(2), rounded down
  const natural::quotient low = scaled(4 * m - (near_below ? 1 : 2), e - 2, power);
  const natural::quotient middle = scaled(4 * m, e - 2, power);
  const natural::quotient high = scaled(4 * m + 2, e - 2, power);
  const bool closed = m % 2 == 0;
  const std::uint64_t first = low.value + (low.exact && closed ? 0 : 1);
  const std::uint64_t last = high.value - (high.exact && !closed ? 1 : 0);

  // The largest power of ten with a multiple in [first, last]; it is at least 10.
  int zeros = 1;
  std::uint64_t unit = 10;
  for (; last / (unit * 10) > (first - 1) / (unit * 10); unit *= 10) ++zeros;
  std::uint64_t digits = middle.value / unit;
  const std::uint64_t tail = middle.value % unit;
  const bool tie = tail == unit / 2 && middle.exact;
  if (tie ? digits % 2 == 1 : tail >= unit / 2) ++digits;
  if (digits * unit < first) ++digits;
  if (digits * unit > last) --digits;
  return {digits, zeros - power};
}

/// Appends the shortest decimal that reads back as x, in the format of Python's repr and json:
/// 0.000244140625, 1e-05, 1.5e+20, 1.0. Infinity, which JSON cannot represent, is written as 1e309,
/// which reads back as infinity.
/// Requires  x is not NaN
template <class Text>
constexpr void append_shortest(Text& out, double x) {
  if (std::bit_cast<std::uint64_t>(x) >> 63 != 0) {
    out.append("-");
    x = -x;
  }
  if (x == 0) return void(out.append("0.0"));
  if (x == std::numeric_limits<double>::infinity()) return void(out.append("1e309"));
  const decimal d = shortest_decimal(x);
  static_text<24> text;
  append_number(text, d.digits);
  const std::string_view digits = text.view();
  const auto count = static_cast<int>(digits.size());
  const int point = count + static_cast<int>(d.exponent);  // x is 0.digits * 10^point
  const auto part = [&](int from, int size) {
    return digits.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(size));
  };
  const auto append_zeros = [&](int n) {
    for (; n > 0; --n) out.append("0");
  };
  if (point < -3 || point > 16) {
    out.append(part(0, 1));
    if (count > 1) out.append(".");
    out.append(part(1, count - 1));
    const int exponent = point - 1;
    out.append(exponent < 0 ? "e-" : "e+");
    if (exponent > -10 && exponent < 10) out.append("0");
    append_number(out, exponent < 0 ? -exponent : exponent);
  } else if (point <= 0) {
    out.append("0.");
    append_zeros(-point);
    out.append(digits);
  } else if (point < count) {
    out.append(part(0, point));
    out.append(".");
    out.append(part(point, count - point));
  } else {
    out.append(digits);
    append_zeros(point - count);
    out.append(".0");
  }
}

}  // namespace ctq::json
