// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/dense.hpp"

#include <doctest/doctest.h>

#include "layer_case.hpp"

using namespace ctq;
using isa_t = isa::native;

// Whole pairs of panels, a whole one, one of a register, and a part of that, in this order.
constexpr int lanes = kernels::simd::int8_dot<isa_t>::lanes;
constexpr int channels = 7 * lanes + 3;

namespace {

template <int Rows>
bool constant_shape_equals_reference(unsigned seed) {
  constexpr linear_shape s{Rows, 21, channels};
  return samples::linear_equals_reference<isa_t, std::uint8_t, std::uint8_t>(
      std::integral_constant<linear_shape, s>{}, samples::values::extreme, seed);
}

}  // namespace

TEST_CASE("one row takes panels in pairs and the last ones by themselves") {
  CHECK(constant_shape_equals_reference<1>(1));
}

TEST_CASE("rows of one tile and of several give the same bytes for a panel of any width") {
  constexpr int tile = kernels::simd::int8_dot<isa_t>::tile_rows;
  CHECK(constant_shape_equals_reference<tile>(2));
  CHECK(constant_shape_equals_reference<tile + 1>(3));
}
