// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/broadcasting.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using ctq::descriptors::functions::for_each_broadcast;
using places = std::vector<std::size_t>;

TEST_CASE("each element of the output has its element of each input") {
  places first, second, third;
  for_each_broadcast(
      ctq::shape{2, 3, 2},
      [&](std::size_t i, std::size_t a, std::size_t b, std::size_t c) {
        CHECK(i == first.size());
        first.push_back(a);
        second.push_back(b);
        third.push_back(c);
      },
      ctq::shape{2, 3, 2}, ctq::shape{3, 1}, ctq::shape{2, 1, 2});
  CHECK(first == places{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(second == places{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2});
  CHECK(third == places{0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3});
}

TEST_CASE("a number is a tensor without axes") {
  places number, row;
  for_each_broadcast(
      ctq::shape{3},
      [&](std::size_t, std::size_t a, std::size_t b) {
        number.push_back(a);
        row.push_back(b);
      },
      ctq::shape{}, ctq::shape{3});
  CHECK(number == places{0, 0, 0});
  CHECK(row == places{0, 1, 2});
  int calls = 0;
  for_each_broadcast(
      ctq::shape{}, [&](std::size_t, std::size_t) { ++calls; }, ctq::shape{});
  CHECK(calls == 1);
}
