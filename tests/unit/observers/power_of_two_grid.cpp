// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/power_of_two_grid.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "ctq/observers/bin_counter.hpp"
#include "every_isa.hpp"

namespace {

using namespace ctq;
using observers::bin_counter;
using observers::power_of_two_grid;
using observers::power_of_two_rule;

constexpr float largest = std::numeric_limits<float>::max();
constexpr float denormal = std::numeric_limits<float>::denorm_min();

TEST_CASE("the grid is the finest that covers the range") {
  CHECK(power_of_two_grid::of(0.0F, 1.0F, 4) == power_of_two_grid{-1, 0});     // 0 … 2 by halves
  CHECK(power_of_two_grid::of(-1.0F, 0.99F, 8) == power_of_two_grid{-2, -4});  // quarters
  CHECK(power_of_two_grid::of(-0.1F, 0.1F, 2) == power_of_two_grid{-3, -1});
  CHECK(power_of_two_grid::of(1000.0F, 1001.0F, 16) == power_of_two_grid{-3, 8000});
}

TEST_CASE("bins are not finer than the float32 spacing") {
  CHECK(power_of_two_grid::of(1.0F, 1.0F, 16) == power_of_two_grid{-23, 1 << 23});
  CHECK(power_of_two_grid::of(0.0F, 0.0F, 16) == power_of_two_grid{-149, 0});
  CHECK(power_of_two_grid::of(-denormal, denormal, 16) == power_of_two_grid{-149, -1});
  CHECK(power_of_two_grid::of(-largest, largest, 2) == power_of_two_grid{128, -1});
}

TEST_CASE("a coarser grid merges whole bins") {
  const power_of_two_grid fine{-2, -5};
  const power_of_two_grid coarse{0, -2};  // -5/4 lies in bin -2
  CHECK(fine.bin_in(fine, 3) == 3);
  CHECK(fine.bin_in(coarse, 0) == 0);
  CHECK(fine.bin_in(coarse, 1) == 1);
  CHECK(fine.bin_in(coarse, 4) == 1);
  CHECK(fine.bin_in(coarse, 5) == 2);
  CHECK(power_of_two_grid{-149, -1}.bin_in({128, -1}, 0) == 0);
}

TEST_CASE("every instruction set counts equally, including denormals and edges") {
  std::mt19937 random(9);
  std::vector<float> bits(5000);
  for (float& x : bits) x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
  for (const float x : {0.0F, -0.0F, denormal, -denormal, largest, -largest, 0x1p-126F, -0x1p-126F})
    bits.push_back(x);
  for (const float max : {1.0F, 1e-40F, denormal, 0x1p100F, largest})
    for (const float min : {0.0F, -max, 0.7F * max, -1e-42F * max}) {
      const auto grid = power_of_two_grid::of(min, max, 50);
      std::vector<float> data = bits;
      for (int i = 0; i < 60; ++i) {
        const auto edge =
            static_cast<float>(std::ldexp(static_cast<double>(grid.first + i), grid.exponent));
        for (const float x : {edge, std::nextafter(edge, -largest), std::nextafter(edge, largest)})
          data.push_back(x);
      }
      std::vector<std::uint32_t> wanted(50);
      for (const float x : data)
        if (x >= min && x <= max)
          ++wanted[static_cast<std::size_t>(grid.index(x, grid.exponent) - grid.first)];
      for_each_isa([&](auto tag) {
        bin_counter counter(50);
        counter.count<decltype(tag)>(data, power_of_two_rule(grid, 50, min, max));
        for (std::size_t i = 0; i < 50; ++i) {
          CAPTURE(i);
          REQUIRE(counter[i] == wanted[i]);
        }
      });
    }
}

}  // namespace
