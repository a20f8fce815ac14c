// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/static_vector.hpp"

#include <doctest/doctest.h>

using ctq::static_vector;

namespace {

static_assert([] {
  static_vector<int, 2> v;
  const bool fits = v.push_back(1) && v.push_back(2);
  const bool full = !v.push_back(3);
  return fits && full && v.size() == 2 && v.back() == 2 && v[0] == 1;
}());

static_assert(static_vector<int, 0>{}.empty());
static_assert(!static_vector<int, 0>{}.push_back(1));

// It is structural: usable as a template argument.
template <static_vector<int, 3> V>
inline constexpr std::size_t size_of_argument = V.size();
static_assert(size_of_argument<static_vector<int, 3>{{1, 2}, 2}> == 2);

TEST_CASE("iteration sees the elements that are there") {
  static_vector<int, 8> v;
  for (int i = 1; i <= 3; ++i) CHECK(v.push_back(i));
  int sum = 0;
  for (int& x : v) sum += x;
  CHECK(sum == 6);
  v.clear();
  CHECK(v.begin() == v.end());
}

TEST_CASE("equal means the same elements and as many") {
  static_vector<int, 4> a;
  static_vector<int, 4> b;
  CHECK(a == b);
  a.push_back(0);
  CHECK(a != b);
  b.push_back(0);
  CHECK(a == b);
}

}  // namespace
