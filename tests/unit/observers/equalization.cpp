// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/equalization.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace ctq;
using observers::extrema;
using observers::with_axes_merged_around;

constexpr std::array<int, 5> volume{2, 3, 4, 5, 6};
static_assert(with_axes_merged_around(volume, 1) == shape(2, 3, 120));
static_assert(with_axes_merged_around(volume, -4) == shape(2, 3, 120));
static_assert(with_axes_merged_around(volume, -1) == shape(120, 6, 1));

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<float> scale(extrema input, extrema weight) {
  return observers::equalization_scale(std::vector{input}, std::vector{weight});
}

TEST_CASE("an input has a range for each channel, over all batches") {
  observers::input_equalization o;
  CHECK(!o.columns());
  o.observe(std::vector<float>{1, 2, -3, 4}, shape(2, 2, 1));
  o.observe(std::vector<float>{5, 0, 1, 1}, shape(1, 2, 2));
  REQUIRE(o.columns().has_value());
  CHECK(*o.columns() == std::vector<extrema>{{-3, 5, false}, {1, 4, false}});
}

TEST_CASE("observers of parts of the data merge to the observer of all data") {
  const std::vector<float> first{1, -2}, second{-4, 3};
  observers::input_equalization all, a, b;
  all.observe(first, shape(1, 2, 1));
  all.observe(second, shape(1, 2, 1));
  a.observe(first, shape(1, 2, 1));
  b.observe(second, shape(1, 2, 1));
  a.merge(b);
  CHECK(a == all);
}

TEST_CASE("NaN, and another number of channels, are errors") {
  observers::input_equalization nan, other;
  nan.observe(std::vector<float>{1, std::nanf("")}, shape(1, 2, 1));
  REQUIRE(!nan.columns());
  CHECK(nan.columns().error().message() == "calibration data: channel 1 has NaN");
  other.observe(std::vector<float>{1, 2}, shape(1, 2, 1));
  other.observe(std::vector<float>{1, 2}, shape(2, 1, 1));
  CHECK(other.columns().error().cause == "tensors have different numbers of channels");
}

TEST_CASE("a weight has a range for each channel of the input, in each group") {
  const std::vector<float> weight{1, 2, -3, 4,  //
                                  5, 6, 7,  -8};
  const auto one = observers::weight_columns(weight, std::array{2, 2, 2}, 2);
  REQUIRE(one.has_value());
  CHECK(*one == std::vector<extrema>{{1, 6, false}, {-8, 7, false}});
  const auto two = observers::weight_columns(weight, std::array{2, 2, 2}, 4);
  REQUIRE(two.has_value());
  CHECK(*two == std::vector<extrema>{{1, 2, false}, {-3, 4, false}, {5, 6, false}, {-8, 7, false}});
}

TEST_CASE("a weight that does not fit its input, or has NaN, is an error") {
  const std::vector<float> weight{1, 2, 3, 4};
  CHECK(observers::weight_columns(weight, std::array{2, 2}, 3).error().cause ==
        "does not fit an input of 3 channels");
  CHECK(!observers::weight_columns(weight, std::array{2, 2}, 6));
  CHECK(!observers::weight_columns(weight, std::array{2, 3}, 3));
  CHECK(!observers::weight_columns(weight, std::array{4}, 4));
  CHECK(!observers::weight_columns(weight, std::array{2, 0}, 4));
  CHECK(!observers::weight_columns(std::vector{std::nanf("")}, std::array{1, 1}, 1));
}

TEST_CASE("the factor is the root of the weight's range over the input's, or 1") {
  CHECK(scale({-1, 3}, {-0.5F, 0.5F}) == std::vector{0.5F});
  CHECK(scale({2, 2}, {-1, 1}) == std::vector{1.0F});
  CHECK(scale({-1, 1}, {2, 2}) == std::vector{1.0F});
  CHECK(scale({2, 2}, {2, 2}) == std::vector{1.0F});
  CHECK(scale({-infinity, 1}, {-1, 1}) == std::vector{1.0F});
  CHECK(scale({-1, 1}, {-infinity, infinity}) == std::vector{1.0F});
  CHECK(scale({-infinity, 1}, {-infinity, 1}) == std::vector{1.0F});
  // Its inverse would be infinite.
  CHECK(scale({-3e38F, 0}, {0, 1e-45F}) == std::vector{1.0F});
}

}  // namespace
