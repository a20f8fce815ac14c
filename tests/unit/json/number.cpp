// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/number.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

using namespace ctq::json;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double tiny = std::numeric_limits<double>::denorm_min();

constexpr double read(std::string_view s) { return to_double(s.data(), s.data() + s.size()); }

constexpr auto write(double x) {
  ctq::static_text<32> t;
  append_shortest(t, x);
  return t;
}

static_assert(read("0") == 0 && read("127") == 127 && read("-128") == -128);
static_assert(read("0.000244140625") == 0x1p-12);
static_assert(read("2.44140625E-4") == 0x1p-12);
static_assert(read("1.1920928955078125e-07") == 0x1p-23);     // 17 digits: not the fast path
static_assert(read("9007199254740993") == 9007199254740992);  // 2^53 + 1: a tie
static_assert(read("9007199254740993.0000000000000000000001") == 9007199254740994);
static_assert(read("1.7976931348623157e308") == std::numeric_limits<double>::max());
static_assert(read("1e400") == infinity && read("-1e400") == -infinity);
static_assert(read("1e-400") == 0 && std::bit_cast<std::uint64_t>(read("-0")) >> 63 == 1);
static_assert(read("5e-324") == tiny);

static_assert(write(0x1p-12).view() == "0.000244140625");
static_assert(write(0x1p-23).view() == "1.1920928955078125e-07");
static_assert(write(0.1 + 0.2).view() == "0.30000000000000004");
static_assert(write(255).view() == "255.0");
static_assert(write(1.5e20).view() == "1.5e+20");
static_assert(write(5e-324).view() == "5e-324");

/// Some doubles of every kind, the same on every machine.
template <class Check>
void for_each_sample(Check check) {
  std::mt19937_64 random;  // NOLINT: the default seed on purpose
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    check(std::bit_cast<double>(bits));
    check(std::bit_cast<double>(bits & 0x800FFFFFFFFFFFFF));  // subnormal
    check(std::bit_cast<double>(bits & 0x7FF0000000000000));  // a power of two
    check(static_cast<double>(bits >> bits % 64));
    check(static_cast<double>(bits % 100000) / 1000);
    check(static_cast<double>(static_cast<float>(bits % 1000000) * 1e-6F));
  }
}

TEST_CASE("every double is read back from what the standard library writes") {
  for_each_sample([](double x) {
    if (x - x != 0) return;  // not finite
    char text[32];
    const auto written = std::to_chars(text, text + sizeof(text), x);
    if (to_double(text, written.ptr) != x) FAIL_CHECK(std::string(text, written.ptr));
  });
}

TEST_CASE("what is written is as short as the standard library's, and reads back") {
  const auto digits_of = [](std::string_view s) {
    std::string digits;
    for (const char c : s.substr(0, s.find('e')))
      if (c >= '0' && c <= '9' && !(c == '0' && digits.empty())) digits += c;
    while (!digits.empty() && digits.back() == '0') digits.pop_back();
    return digits;
  };
  for_each_sample([&](double x) {
    if (x - x != 0) return;
    char text[32];
    const auto end = std::to_chars(text, text + sizeof(text), x, std::chars_format::scientific).ptr;
    const auto ours = write(x);
    if (digits_of(ours.view()) != digits_of({text, end})) FAIL_CHECK(ours.view());
    if (read(ours.view()) != x) FAIL_CHECK(ours.view());
  });
}

TEST_CASE("decimals of any length and exponent are rounded as the standard library rounds") {
  std::mt19937_64 random;  // NOLINT
  for (int i = 0; i < 20000; ++i) {
    std::string s = std::to_string(1 + random() % 9);
    for (auto n = random() % (i % 50 == 0 ? 900 : 25); n > 0; --n)
      s += static_cast<char>('0' + random() % 10);
    s.insert(1, ".");
    s += "0e" + std::to_string(static_cast<int>(random() % 660) - 330);
    double expected = 0;
    const auto status = std::from_chars(s.data(), s.data() + s.size(), expected);
    if (status.ec == std::errc{} && read(s) != expected) FAIL_CHECK(s);
  }
}

TEST_CASE(
    "a decimal half-way between two doubles goes to the even one, the slightest rest decides") {
  CHECK(read("9007199254740991.5") == 9007199254740992);
  CHECK(read("9007199254740992.999") == 9007199254740992);
  CHECK(read("9007199254740995") == 9007199254740996);
  CHECK(read("2.4703282292062327e-324") == 0);     // below half of the smallest
  CHECK(read("2.4703282292062328e-324") == tiny);  // above
  CHECK(read("2.2250738585072011e-308") == 0x0.fffffffffffffp-1022);
  CHECK(read("2.2250738585072014e-308") == 0x1p-1022);
  CHECK(read("1.7976931348623158e308") == std::numeric_limits<double>::max());
  CHECK(read("1.7976931348623159e308") == infinity);

  // 1 + 2^-53, all of its 54 digits, then zeros and a one that is far behind them.
  const std::string half = "1.00000000000000011102230246251565404236316680908203125";
  CHECK(read(half) == 1);
  CHECK(read(half + std::string(800, '0')) == 1);
  CHECK(read(half + std::string(800, '0') + "1") == 0x1.0000000000001p0);
  CHECK(read(half.substr(0, half.size() - 1) + "4" + std::string(800, '9')) == 1);
}

TEST_CASE("zeros, however many, and exponents, however large, are no trouble") {
  const std::string zeros(5000, '0');
  CHECK(read("1" + zeros + "e-5000") == 1);
  CHECK(read("0." + zeros + "1e5001") == 1);
  CHECK(read("0." + zeros + "e5001") == 0);
  CHECK(read(std::string(800, '9') + "e-800") == 1);
  CHECK(read("0e99999999999999999999999") == 0);
  CHECK(read("1e99999999999999999999999") == infinity);
  CHECK(read("1e-99999999999999999999999") == 0);
  CHECK(read("0." + std::string(1000, '0') + std::string(2000, '7') + "e1000") == 7.0 / 9);
}

TEST_CASE("numbers are spelled as Python spells them") {
  const struct {
    double x;
    std::string_view text;
  } cases[] = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1, "1.0"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {1e-4, "0.0001"},
      {1e-5, "1e-05"},
      {-1.25e-7, "-1.25e-07"},
      {123456.789, "123456.789"},
      {1e15, "1000000000000000.0"},
      {9007199254740993.0, "9007199254740992.0"},
      {1e16, "1e+16"},
      {12345678901234567890.0, "1.2345678901234567e+19"},
      {1e22, "1e+22"},
      {1e23, "1e+23"},
      {9.5e22, "9.5e+22"},
      {1e100, "1e+100"},
      {0x1p-44,
       "5.684341886080802e-14"},  // not the nearest of 16 digits: that is 2^-44's neighbour
      {0x1p-1022, "2.2250738585072014e-308"},
      {tiny, "5e-324"},
      {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
      {infinity, "1e309"},
      {-infinity, "-1e309"},
  };
  for (const auto& c : cases) CHECK(write(c.x).view() == c.text);
}

}  // namespace
