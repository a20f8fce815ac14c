// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/unroll.hpp"

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

using namespace ctq;

TEST_CASE("a loop is unrolled in order, with constants for its index") {
  std::vector<int> seen;
  unroll<4>([&](auto i) {
    static_assert(std::is_same_v<decltype(i), std::integral_constant<int, decltype(i)::value>>);
    seen.push_back(i);
  });
  unroll<0>([&](auto i) { seen.push_back(100 + i); });
  CHECK(seen == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("two loops are unrolled, the second inside the first") {
  std::vector<int> seen;
  unroll<2, 3>([&](auto i, auto j) {
    static_assert(decltype(i)::value < 2 && decltype(j)::value < 3);
    seen.push_back(10 * i + j);
  });
  CHECK(seen == std::vector<int>{0, 1, 2, 10, 11, 12});
}

TEST_CASE("a number becomes a constant if it is one of those asked for, else nothing happens") {
  for (int n = -1; n <= 6; ++n) {
    std::vector<int> seen;
    with_constant<4>(n, [&](auto i) { seen.push_back(decltype(i)::value); });
    CHECK(seen == (n >= 1 && n <= 4 ? std::vector<int>{n} : std::vector<int>{}));
  }
}
