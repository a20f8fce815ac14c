// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/int4_dot.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

using namespace ctq;
using dot = kernels::simd::int4_dot<isa::native>;

static_assert(dot::lines >= 4);
static_assert(dot::vectors * dot::rows > 0);

namespace {

/// A line of values, in each lane, against eight activations, `count` times.
std::int32_t first_lane(std::uint8_t values, const std::int8_t (&activations)[8], int count,
                        std::int32_t start) {
  std::uint8_t line[dot::lanes * 4];
  std::fill_n(line, sizeof line, values);
  const std::int32_t starts[dot::lanes] = {start};
  typename dot::vec from;
  std::memcpy(&from, starts, sizeof from);
  auto sums = dot::begin(from);
  for (int i = 0; i < count; ++i) {
    if (i > 0 && i % dot::lines == 0) dot::carry(sums);
    dot::add(sums, dot::split(line), dot::broadcast(activations), dot::broadcast(activations + 4));
  }
  const typename dot::vec total = dot::total(sums);
  std::int32_t lanes[dot::lanes];
  std::memcpy(lanes, &total, sizeof lanes);
  return lanes[0];
}

}  // namespace

TEST_CASE("low values meet the first four activations, high values the others") {
  CHECK(first_lane(0x21, {1, 2, 3, 4, 10, 20, 30, 40}, 1, 0) == 10 + 2 * 100);
  CHECK(first_lane(0xF0, {1, 2, 3, 4, -10, -20, -30, -40}, 1, 7) == 7 - 15 * 100);
}

TEST_CASE("sums of four-bit values are exact for as many lines as they take, and beyond") {
  const int most = std::min<int>(dot::lines, 1 << 14);
  for (const int count : {most, most + 1}) {
    CHECK(first_lane(0xFF, {-128, -128, -128, -128, -128, -128, -128, -128}, count, -5) ==
          -5 - count * 8 * 15 * 128);
    CHECK(first_lane(0xFF, {127, 127, 127, 127, 127, 127, 127, 127}, count, 0) ==
          count * 8 * 15 * 127);
  }
}
