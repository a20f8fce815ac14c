// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/block.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

using namespace ctq;

namespace {

struct pair {
  int a{};
  float b{};
  friend constexpr bool operator==(const pair&, const pair&) = default;
};
using block = std::array<std::uint32_t, 4>;

static_assert(from_block<pair>(to_block<block>(pair{3, 1.0F})) == pair{3, 1.0F});
static_assert(to_block<block>(pair{3, 1.0F}) == block{3, 0x3F800000, 0, 0});  // zero behind it
static_assert(from_block<block>(to_block<block>(block{1, 2, 3, 4})) == block{1, 2, 3, 4});

static_assert(fits_in<pair, 8> && fits_in<block, 16>);
static_assert(!fits_in<pair, 4>);     // too small
static_assert(!fits_in<char, 4>);     // not made of words
static_assert(!fits_in<double, 16>);  // would need other alignment

TEST_CASE("a struct comes out of a block as it went in") {
  for (const int a : {0, -1, 1 << 30}) {
    const pair p{a, -0.5F};
    CHECK(from_block<pair>(to_block<block>(p)) == p);
  }
}

}  // namespace
