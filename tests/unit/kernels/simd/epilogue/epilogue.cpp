// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/epilogue/epilogue.hpp"

#include <doctest/doctest.h>

#include "kernels/epilogue_case.hpp"

using namespace ctq;
using namespace ctq::kernels;
using namespace epilogue_cases;
using isa_t = isa::native;

static_assert(std::is_same_v<decltype(epilogue{store_accumulators{}})::output, std::int32_t>);
static_assert(std::is_same_v<decltype(epilogue{requantize_per_channel<std::int8_t>{},
                                               lookup_table<std::int8_t>{}})::output,
                             std::int8_t>);

namespace {

// In the order of conv2d_shape: N, H, W, C, O, kernel, stride, padding, dilation, groups. Full and
// partial panels; few pixels, since each shape is compiled.
using dense = layer<{3, 21, 75}>;
constexpr int lanes = simd::int8_dot<isa_t>::lanes;
using divided = layer<{8, 64, lanes + simd::narrow_lanes<simd::int8_dot<isa_t>>}>;
using by_columns = constant<{1, 9, 8, 70, 70, 3, 3, 1, 1, 1, 1, 1, 1, 70}>;
using by_columns_2 = constant<{1, 9, 8, 40, 40, 3, 3, 2, 2, 1, 1, 1, 1, 40}>;
using of_two_places = constant<{2, 7, 6, 20, 20, 3, 3, 1, 1, 1, 1, 1, 1, 20}>;
using of_two_places_2 = constant<{1, 9, 8, 17, 17, 3, 3, 2, 2, 1, 1, 1, 1, 17}>;
using of_two_places_5x5 = constant<{1, 7, 6, 20, 20, 5, 5, 1, 1, 2, 2, 1, 1, 20}>;

}  // namespace

TEST_CASE("a dense layer with an epilogue equals the separate ops") {
  many<dense>(check_stages<isa_t, dense, std::uint8_t>);
  many<dense>(check_wide<isa_t, dense, std::int8_t>);
}

TEST_CASE("an epilogue reads weights that are packed for registers of two widths") {
  many<divided>(check_other_sign<isa_t, divided, std::uint8_t>);
}

TEST_CASE("a depthwise convolution with an epilogue equals the separate ops") {
  many<by_columns>(check_stages<isa_t, by_columns, std::int8_t>);
  many<by_columns>(check_wide<isa_t, by_columns, std::uint8_t>);
  many<by_columns_2>(check_other_sign<isa_t, by_columns_2, std::int8_t>);
}

TEST_CASE(
    "a depthwise convolution with two rows per register and an epilogue equals the separate ops") {
  many<of_two_places>(check_stages<isa_t, of_two_places, std::uint8_t>);
  many<of_two_places>(check_other_sign<isa_t, of_two_places, std::int8_t>);
  many<of_two_places_2>(check_wide<isa_t, of_two_places_2, std::int8_t>);
  many<of_two_places_5x5>(check_stages<isa_t, of_two_places_5x5, std::uint8_t>);
}

TEST_CASE("post-ops in a second pass give the same outputs") {
  many<dense>(check_stages<isa_t, dense, std::uint8_t, false>);
}

TEST_CASE("an epilogue that only requantizes equals the layer without one") {
  const random_layer<std::uint8_t> x(dense::value, 1);
  CHECK(x.gives<isa_t, dense, false>(epilogue{requantize_per_channel<std::uint8_t>{x.range()}},
                                     x.requantized()));
}
