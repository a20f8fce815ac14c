// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/convolution/computed_shape.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "ctq/kernels/simd/arch/all_dots.hpp"
#include "kernels/square_shape.hpp"

using namespace ctq;
using namespace ctq::kernels;
using isa_t = isa::native;

namespace {

constexpr conv2d_shape grouped(int in, int out, int groups) {
  return samples::square_shape(3, 1, in, out, 14, groups);
}
constexpr int groups_of(int in, int out, int groups, int lanes) {
  return simd::with_joined_groups(grouped(in, out, groups), lanes).groups;
}

// As many groups as a register has space for.
static_assert(groups_of(128, 128, 32, 16) == 8);
static_assert(groups_of(128, 128, 32, 8) == 16);
static_assert(groups_of(128, 128, 32, 4) == 32);
// Their number is divided without a rest.
static_assert(groups_of(12, 12, 6, 16) == 1);
static_assert(groups_of(15, 15, 5, 8) == 5);
static_assert(groups_of(12, 12, 4, 9) == 2);
// What fills a register, what has one group, and depthwise layers are left alone.
static_assert(groups_of(256, 256, 8, 16) == 8);
static_assert(groups_of(64, 8, 1, 16) == 1);
static_assert(groups_of(64, 64, 64, 16) == 64);
// Depthwise layers with several outputs for each input are not.
static_assert(groups_of(32, 64, 32, 16) == 4);
static_assert(groups_of(32, 0, 32, 16) == 32);

// Nothing is left to join.
constexpr conv2d_shape computed =
    simd::computed_shape<isa_t, std::uint8_t>(samples::square_shape(1, 1, 48, 48, 7, 24));
static_assert(computed.groups <= 24 && computed.in_h == 1 && computed.in_w == 49);
static_assert(simd::computed_shape<isa_t, std::uint8_t>(computed) == computed);
// Products of floats with 0 are not always 0.
static_assert(simd::computed_shape<isa_t, float>(grouped(128, 128, 32)).groups == 32);

}  // namespace

TEST_CASE("weights of joined groups are 0 between channels of different groups") {
  // Three groups of two inputs and one output, of which all three are joined; two taps.
  conv2d_shape s{};
  s.in_channels = 6;
  s.out_channels = s.groups = 3;
  s.kernel_h = 1;
  s.kernel_w = 2;
  const conv2d_shape joined = simd::with_joined_groups(s, 4);
  REQUIRE(joined.groups == 1);
  const std::vector<std::int8_t> weight{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const std::vector<std::int8_t> expected{
      1, 2, 0, 0, 0, 0,  3, 4, 0, 0, 0,  0,   //
      0, 0, 5, 6, 0, 0,  0, 0, 7, 8, 0,  0,   //
      0, 0, 0, 0, 9, 10, 0, 0, 0, 0, 11, 12,  //
  };
  CHECK(simd::weights_of_joined_groups(s, joined, weight.data()) == expected);
}

TEST_CASE("of several joined groups each has its own inputs") {
  conv2d_shape s{};
  s.in_channels = 8;
  s.out_channels = s.groups = 4;
  s.kernel_h = s.kernel_w = 1;
  const conv2d_shape joined = simd::with_joined_groups(s, 2);
  REQUIRE(joined.groups == 2);
  const std::vector<std::int8_t> weight{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<std::int8_t> expected{1, 2, 0, 0, 0, 0, 3, 4, 5, 6, 0, 0, 0, 0, 7, 8};
  CHECK(simd::weights_of_joined_groups(s, joined, weight.data()) == expected);
}
