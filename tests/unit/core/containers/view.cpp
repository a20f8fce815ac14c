// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/containers/view.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

constexpr int some[] = {1, 2, 3};
constexpr int others[] = {1, 2, 3, 4};

static_assert(view<int>{}.empty() && view<int>{}.size() == 0);
static_assert(view<int>{some, 3}[2] == 3);
static_assert(view<int>{some, 3} == view<int>{others, 3});
static_assert(!(view<int>{some, 3} == view<int>{others, 4}));
static_assert(!(view<int>{some, 2} == view<int>{some + 1, 2}));

TEST_CASE("a view is gone through from begin to end") {
  int sum = 0;
  for (const int i : view<int>{others, 4}) sum += i;
  CHECK(sum == 10);
}

}  // namespace
