// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/aminmax.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "every_isa.hpp"

namespace {

using ctq::observers::aminmax;
using ctq::observers::extrema;
using ctq::observers::finite_aminmax;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

static_assert(!extrema{}.observed());
static_assert(extrema{0.0F, 0.0F, false}.observed());
static_assert(extrema{inf, -inf, true}.observed(), "NaN was seen, and nothing else");

TEST_CASE("an empty tensor has no minimum and no maximum") {
  CHECK(aminmax({}) == extrema{inf, -inf, false});
}

TEST_CASE("the extrema are found at every position") {
  for (std::size_t size = 1; size < 100; ++size)
    for (std::size_t at = 0; at < size; ++at) {
      std::vector<float> data(size, 0.5F);
      data[at] = -3.0F;
      data[size - 1 - at] = size - 1 - at == at ? -3.0F : 7.0F;
      const extrema seen = aminmax(data);
      REQUIRE(seen.min == -3.0F);
      REQUIRE(seen.max == (size == 1 ? -3.0F : (size - 1 - at == at ? 0.5F : 7.0F)));
      REQUIRE(!seen.saw_nan);
    }
}

TEST_CASE("NaN at any position is recorded and does not affect the extrema") {
  for (std::size_t at = 0; at < 70; ++at) {
    std::vector<float> data(70, 1.0F);
    data[at] = nan;
    REQUIRE(aminmax(data) == extrema{1.0F, 1.0F, true});
  }
}

TEST_CASE("infinite elements can be ignored") {
  const std::vector<float> data{-inf, 2.0F, inf, 3.0F};
  CHECK(aminmax(data) == extrema{-inf, inf, false});
  CHECK(finite_aminmax(data) == extrema{2.0F, 3.0F, false});
  CHECK(!finite_aminmax(std::vector<float>{inf, inf}).observed());
}

TEST_CASE("every instruction set finds the same extrema, never -0") {
  std::mt19937 random(3);
  for (const std::size_t size : {1U, 15U, 64U, 65U, 1000U}) {
    std::vector<float> data(size);
    for (float& x : data) x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const extrema wanted = aminmax<ctq::isa::scalar>(data);
    std::vector<float> zeros(size);
    for (std::size_t i = 0; i < size; i += 3) zeros[i] = -0.0F;
    ctq::for_each_isa([&](auto tag) {
      REQUIRE(aminmax<decltype(tag)>(data) == wanted);
      const extrema zero = aminmax<decltype(tag)>(zeros);
      REQUIRE(!std::signbit(zero.min));
      REQUIRE(!std::signbit(zero.max));
    });
  }
}

}  // namespace
