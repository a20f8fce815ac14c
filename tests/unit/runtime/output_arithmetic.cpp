// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/output_arithmetic.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace ctq;

struct owned_weight {
  std::vector<std::int8_t> weight;
  std::vector<float> scale;

  operator quantized_weight_view() const { return {weight, scale}; }  // NOLINT
};

}  // namespace

TEST_CASE("the bias takes the input's zero point in") {
  const owned_weight w{.weight = {10, -3, 5, 0}, .scale = {0.5F, 0.25F}};
  const auto a = output_arithmetic_of({{1.0F, -1.0F}}, w, {.scale = 0.5F, .zero_point = 3}, quint8,
                                      {.scale = 2.0F}, quint8);
  REQUIRE(a);
  CHECK(a->bias == std::vector<std::int32_t>{4 - 3 * 7, -8 - 3 * 5});
  CHECK(a->multiplier == std::vector<float>{0.125F, 0.0625F});
}

TEST_CASE("a bias that would leave int32 coarsens the weights of its channel, no other's") {
  // The bias is 3e9 steps of the accumulator: with weights half as fine, 1.5e9.
  const owned_weight w{.weight = {1, 127, -128, 3, 5, 127}, .scale = {1.0F, 1e-9F}};
  const auto a =
      output_arithmetic_of({{0.5F, 3.0F}}, w, {.scale = 1.0F}, quint8, {.scale = 0.5F}, quint8);
  REQUIRE(a);
  CHECK(a->coarse == std::vector<std::int8_t>{1, 127, -128, 2, 2, 64});  // ties to even
  CHECK(a->weights(w.weight.data()) == a->coarse.data());
  CHECK(a->bias[0] == 0);
  CHECK(a->bias[1] == doctest::Approx(1.5e9));
  CHECK(a->multiplier[1] == 4e-9F);
}

TEST_CASE("weights are coarsened until the bias fits, at last to zeros") {
  for (const float scale : {1e-9F, 1e-11F, 1e-13F, 1e-30F}) {
    const owned_weight w{.weight = {-128, 127, 100}, .scale = {scale}};
    const auto a = output_arithmetic_of({{-7.0F}}, w, {.scale = 0.5F, .zero_point = 9}, quint8,
                                        {.scale = 0.25F}, quint8);
    REQUIRE(a);
    const double bias = double{a->multiplier[0]} * a->bias[0];
    CHECK(bias == doctest::Approx(-28.0));
    for (std::size_t i = 0; i < 3; ++i)  // a product is less than 2^-15 of the output's steps
      CHECK(std::fabs(255.0 * double{a->multiplier[0]} * a->weights(w.weight.data())[i] -
                      255.0 * 0.5 * double{scale} / 0.25 * w.weight[i]) < 0x1p-15);
  }
}

TEST_CASE("weights stay as they are where all fits") {
  const owned_weight w{.weight = {1, 1}, .scale = {1.0F, 1e-8F}};
  const auto a = output_arithmetic_of({{0.0F, 3.0F}}, w, {.scale = 1.0F}, quint8, {}, quint8);
  REQUIRE(a);
  CHECK(a->coarse.empty());
  CHECK(a->weights(w.weight.data()) == w.weight.data());
}

TEST_CASE("outputs that were equal in calibration saturate") {
  const owned_weight w{.weight = {127, 100}, .scale = {1e6F, 1e-9F}};
  const auto a =
      output_arithmetic_of({{0.0F, 3.0F}}, w, {.scale = 1.0F}, quint8, {.scale = 1e-9F}, quint8);
  REQUIRE(a);
  const kernels::output_range range{.zero_point = 7, .lo = 0, .hi = 255};
  CHECK(kernels::requantize(1, a->multiplier[0], range) == 255);
  CHECK(kernels::requantize(0, a->multiplier[0], range) == 7);
  CHECK(kernels::requantize(-1, a->multiplier[0], range) == 0);
  CHECK(kernels::requantize(a->bias[1], a->multiplier[1], range) == 255);
}

TEST_CASE("a bias that leaves int32 in a float output is an error with its channel") {
  const owned_weight w{.weight = {1, 1}, .scale = {1.0F, 1.0F}};
  const auto a = output_arithmetic_of({{0.0F, 3e9F}}, w, {.scale = 1.0F}, quint8, {}, f32);
  REQUIRE(!a);
  CHECK(a.error().place == "accumulator_overflow, channel 1");
  CHECK(a.error().cause.find("the sum of products can leave int32, or an output step: bias") !=
        std::string::npos);
}

TEST_CASE("a dead channel keeps its bias, however small its scale") {
  const owned_weight w{.weight = {0, 0}, .scale = {0x1p-23F, 0x1p-23F}};
  const auto a =
      output_arithmetic_of({{8.0F, 0.5F}}, w, {.scale = 0.004F}, quint8, {.scale = 0.5F}, quint8);
  REQUIRE(a);
  CHECK(static_cast<float>(a->bias[0]) * a->multiplier[0] == doctest::Approx(16.0));
  CHECK(static_cast<float>(a->bias[1]) * a->multiplier[1] == doctest::Approx(1.0));
}

TEST_CASE("a float output that could leave int32 is an error as well") {
  const owned_weight w{.weight = {127}, .scale = {1e6F}};
  CHECK(!output_arithmetic_of({{0.0F}}, w, {.scale = 1.0F}, quint8, {}, f32));
}

TEST_CASE("weights whose sums could exceed int32 for some input are rejected") {
  owned_weight w{.weight = std::vector<std::int8_t>(70'000, -128), .scale = {1.0F}};
  const status refused = check_sums(w);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() ==
        "accumulator_overflow, channel 0: the sum of products can leave int32");
  w.weight.resize(60'000);
  CHECK(check_sums(w));
}
