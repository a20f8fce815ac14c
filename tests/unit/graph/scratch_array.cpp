// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/scratch_array.hpp"

#include <doctest/doctest.h>

#include <type_traits>

using namespace ctq;

namespace {

static_assert(std::is_same_v<scratch_array<int, 3>, int[3]>);
static_assert(std::is_same_v<scratch_array<int, 0>, list<int>>);

/// One code for both: 0, 1, 4, 9, ...
template <std::size_t N>
constexpr int last_square(int count) {
  scratch_array<int, N> squares{};
  resize(squares, count);
  for (int i = 0; i < count; ++i) squares[i] += i * i;
  return squares[count - 1];
}
static_assert(last_square<5>(5) == 16);
static_assert(last_square<0>(5) == 16);

TEST_CASE("room that is given at run time is empty") {
  scratch_array<int, 0> items{};
  resize(items, 2);
  items[1] = 7;
  resize(items, 4);
  REQUIRE(items.size() == 4);
  for (const int i : items) CHECK(i == 0);
}

}  // namespace
