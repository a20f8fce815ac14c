// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/sum.hpp"

#include <doctest/doctest.h>

#include <utility>

namespace {

static_assert(ctq::sum({}) == 0);
static_assert(ctq::sum({1, 2, 3}) == 6);

template <std::size_t... I>
consteval std::size_t of(std::index_sequence<I...>) {
  return ctq::sum({I...});
}
static_assert(of(std::make_index_sequence<1000>{}) == 499500);  // clang ends a fold at 256

TEST_CASE("a long pack has a total") { CHECK(of(std::make_index_sequence<300>{}) == 44850); }

}  // namespace
