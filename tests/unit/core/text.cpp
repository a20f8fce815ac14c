// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/text.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

using namespace ctq;

namespace {

constexpr auto put_together() {
  static_text<40> t;
  append_all(t, "kernel_size ", 5, "x", 3U, std::string_view{" of "}, -128L);
  return t;
}
static_assert(put_together().view() == "kernel_size 5x3 of -128");
static_assert(!put_together().empty());
static_assert(static_text<4>{}.empty());
static_assert(static_text<4>{}.append("abcdef").view() == "abcd");  // cut, not an error
static_assert(static_text<4>{}.append("ab").append("cd").append("e").view() == "abcd");

template <class T>
constexpr auto number(T n) {
  static_text<24> t;
  append_number(t, n);
  return t;
}
static_assert(number(0).view() == "0");
static_assert(number(-1).view() == "-1");
static_assert(number(std::numeric_limits<std::int64_t>::min()).view() == "-9223372036854775808");
static_assert(number(std::numeric_limits<std::uint64_t>::max()).view() == "18446744073709551615");
static_assert(number(std::numeric_limits<signed char>::min()).view() == "-128");

static_assert([] {
  static_text<24> t;
  append_decimal(t, 0x1p-12);
  return t.view() == "0.000244141";
}());

TEST_CASE("numbers are written as std::to_string writes them") {
  for (const long n : {0L, 7L, -7L, 10L, 99L, 100L, -1000L, 2147483647L, -2147483648L})
    CHECK(number(n).view() == std::to_string(n));
}

TEST_CASE("text goes to anything that has append") {
  std::string out;
  append_all(out, "a", 1, "b");
  CHECK(out == "a1b");
}

TEST_CASE("decimals have six significant digits and no more than they need") {
  const auto decimal = [](double x) {
    std::string out;
    append_decimal(out, x);
    return out;
  };
  CHECK(decimal(0) == "0");
  CHECK(decimal(1) == "1");
  CHECK(decimal(-2.5) == "-2.5");
  CHECK(decimal(255) == "255");
  CHECK(decimal(0.01) == "0.01");
  CHECK(decimal(1.0 / 3) == "0.333333");
  CHECK(decimal(0.9999999) == "1");
  CHECK(decimal(123456.7) == "123457");
  CHECK(decimal(1234567) == "1.23457e+06");
  CHECK(decimal(0.0001) == "0.0001");
  CHECK(decimal(0x1p-23) == "1.19209e-07");
  CHECK(decimal(1e-38) == "1e-38");
  CHECK(decimal(3.4e38) == "3.4e+38");
  CHECK(decimal(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(decimal(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(decimal(std::numeric_limits<double>::quiet_NaN()) == "nan");
}

}  // namespace
