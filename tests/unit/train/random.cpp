// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace ctq::training;

TEST_CASE("a seed gives the same numbers everywhere") {
  random_source random(1234567);
  CHECK(random.bits() == 6457827717110365317U);
  CHECK(random.bits() == 3203168211198807973U);
}

TEST_CASE("numbers are in their range") {
  random_source random(1);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const float x = random.uniform();
    REQUIRE(x >= 0.0F);
    REQUIRE(x < 1.0F);
    sum += static_cast<double>(x);
    REQUIRE(random.below(7) < 7);
  }
  CHECK(sum / 10000 == doctest::Approx(0.5).epsilon(0.03));
}

TEST_CASE("an epoch has each sample once, in another order") {
  random_source random(1);
  std::vector<std::size_t> order = shuffled(100, random);
  const std::vector<std::size_t> next = shuffled(100, random);
  CHECK(order != next);
  CHECK_FALSE(std::ranges::is_sorted(order));
  std::ranges::sort(order);
  for (std::size_t i = 0; i < 100; ++i) CHECK(order[i] == i);
  CHECK(shuffled(0, random).empty());
}
