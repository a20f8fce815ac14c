// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/one_or_many.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

using namespace ctq;

TEST_CASE("a list of none, of one and of many numbers") {
  one_or_many<double> all;
  CHECK(all.empty());
  CHECK(all.begin() == all.end());
  std::vector<double> wanted;
  for (const double x : {0.5, 0.25, 3.0}) {
    all.push_back(x);
    wanted.push_back(x);
    CHECK(all.size() == wanted.size());
    CHECK(std::vector<double>(all.begin(), all.end()) == wanted);
    CHECK(all == wanted);
    CHECK(all[wanted.size() - 1] == x);
  }
  CHECK(one_or_many<double>{0.5, 0.25, 3.0} == all);
  CHECK_FALSE(one_or_many<double>{0.5, 0.25} == all);
  CHECK_FALSE(one_or_many<double>{0.5, 0.25, 2.0} == all);
  CHECK_FALSE(one_or_many<double>{} == one_or_many<double>{0.0});
}

TEST_CASE("copies of a list do not share its numbers") {
  for (const one_or_many<int>& from : {one_or_many<int>{7}, one_or_many<int>{7, 8, 9}}) {
    one_or_many<int> copy = from;
    copy[0] = 1;
    CHECK(from[0] == 7);
    const one_or_many<int> moved = std::move(copy);
    CHECK(moved.size() == from.size());
    CHECK(moved[0] == 1);
  }
}

TEST_CASE("numbers of another type are converted") {
  const std::vector<float> floats{0.5F, 2.0F};
  CHECK(one_or_many<double>(floats.begin(), floats.end()) == one_or_many<double>{0.5, 2.0});
}
