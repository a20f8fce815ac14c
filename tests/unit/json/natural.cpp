// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/natural.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

using ctq::json::natural;

namespace {

constexpr natural power_of_5(int n) {
  natural p{1};
  p.multiply_by_power_of_5(n);
  return p;
}

static_assert(natural{0}.width() == 0 && natural{1}.width() == 1);
static_assert(natural{~std::uint64_t{0}}.width() == 64);
static_assert(power_of_5(27).width() == 63);
static_assert(power_of_5(1093).width() == 2538);  // log2(5) * 1093 = 2537.9

static_assert([] {
  natural n{7};
  n.shift_left(0);
  n.shift_left(61);
  n.shift_left(64);
  natural d{1};
  d.shift_left(64);
  const auto q = natural::divide(n, d);
  return q.exact && q.value == std::uint64_t{7} << 61;
}());

static_assert([] {  // 10^40 / 10^22, and one more
  natural n{1}, d{1};
  n.multiply_by_power_of_5(40), n.shift_left(40);
  d.multiply_by_power_of_5(22), d.shift_left(22);
  natural more = n, same = d;
  more.multiply_add(1, 1);
  const auto q = natural::divide(n, d), r = natural::divide(more, same);
  return q.value == 1000000000000000000 && q.exact && r.value == q.value && !r.exact;
}());

TEST_CASE("a product divided by one factor gives the other, whatever is added below that factor") {
  std::mt19937_64 random;  // NOLINT: the same numbers every time
  const auto pick = [&] { return static_cast<std::uint32_t>(random() >> (32 + random() % 31)); };
  for (int i = 0; i < 20000; ++i) {
    // Upper words that are all ones, or a one and zeros, are hard on estimates of the quotient.
    natural d{i % 3 == 0   ? random()
              : i % 3 == 1 ? random() | 0xFFFFFFFF00000000
                           : 0x8000000000000000 | (random() & 1)};
    for (std::uint64_t n = i % 3 == 0 ? random() % 8 : 0; n > 0; --n)
      d.multiply_add(pick() | 1U, 0);
    d.shift_left(static_cast<int>(random() % 700));
    d.multiply_add(65537, 5);  // above every rest
    natural n = d;
    const std::uint32_t a = pick(), b = pick(), rest = i % 2 == 0 ? 0 : pick() % 65537;
    n.multiply_add(a, 0);
    n.multiply_add(b, rest);
    const auto q = natural::divide(n, d);
    if (q.value != std::uint64_t{a} * b || q.exact != (rest == 0)) FAIL_CHECK(i);
  }
}

}  // namespace
