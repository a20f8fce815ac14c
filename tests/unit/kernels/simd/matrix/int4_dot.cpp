// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/int4_dot.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "ctq/kernels/simd/arch/all_dots.hpp"

using namespace ctq;
using dot = kernels::simd::int4_dot<isa::native>;

static_assert(dot::lines >= 4);
static_assert(dot::pairs * dot::rows > 0);

namespace {

struct two {
  std::int32_t low, high;
  bool operator==(const two&) const = default;
};

std::int32_t first_lane(const typename dot::vec& x) {
  std::int32_t lanes[dot::lanes];
  std::memcpy(lanes, &x, sizeof lanes);
  return lanes[0];
}

typename dot::vec in_first_lane(std::int32_t x) {
  const std::int32_t lanes[dot::lanes] = {x};
  typename dot::vec out;
  std::memcpy(&out, lanes, sizeof out);
  return out;
}

/// A line of values, in each lane, against four activations, `count` times.
two of_first_lane(std::uint8_t values, const std::int8_t (&activations)[4], int count, two start) {
  std::uint8_t line[dot::lanes * 4];
  std::fill_n(line, sizeof line, values);
  auto sums = dot::begin({in_first_lane(start.low), in_first_lane(start.high)});
  for (int i = 0; i < count; ++i) {
    if (i > 0 && i % dot::lines == 0) dot::carry(sums);
    dot::add(sums, dot::split(dot::load(line)), dot::broadcast(activations));
  }
  const auto total = dot::total(sums);
  return {first_lane(total.low), first_lane(total.high)};
}

}  // namespace

TEST_CASE("low values are those of one channel, high values of another") {
  CHECK(of_first_lane(0x21, {1, 2, 3, 4}, 1, {0, 0}) == two{10, 20});
  CHECK(of_first_lane(0xF0, {-1, -2, -3, -4}, 1, {7, 9}) == two{7, 9 - 150});
}

TEST_CASE("sums of four-bit values are exact for as many lines as they take, and beyond") {
  const int most = std::min<int>(dot::lines, 1 << 14);
  for (const int count : {most, most + 1, 3 * most}) {
    const int low = count * 4 * 15 * 128, high = count * 4 * 15 * 127;
    CHECK(of_first_lane(0xFF, {-128, -128, -128, -128}, count, {-5, 5}) == two{-5 - low, 5 - low});
    CHECK(of_first_lane(0xFF, {127, 127, 127, 127}, count, {0, 0}) == two{high, high});
  }
}

TEST_CASE("sums of four-bit values may start anywhere") {
  // As the zero points of a group of 2^20 make them.
  constexpr std::int32_t far = 15 * 128 * (1 << 20);
  CHECK(of_first_lane(0x11, {1, 1, 1, 1}, 1, {far, -far}) == two{far + 4, -far + 4});
}
