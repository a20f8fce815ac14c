// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/output_arithmetic.hpp"

#include <doctest/doctest.h>

#include <cstdint>
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
                                      {.scale = 2.0F});
  REQUIRE(a);
  CHECK(a->bias == std::vector<std::int32_t>{4 - 3 * 7, -8 - 3 * 5});
  CHECK(a->multiplier == std::vector<float>{0.125F, 0.0625F});
}

TEST_CASE("a sum that could leave int32 is an error with its channel") {
  const owned_weight w{.weight = {1, 1}, .scale = {1.0F, 1e-9F}};
  const auto a = output_arithmetic_of({{0.0F, 3.0F}}, w, {.scale = 1.0F}, quint8, {});
  REQUIRE(!a);
  CHECK(a.error().place == "accumulator_overflow, channel 1");
  CHECK(a.error().cause.find("the sum of products can leave int32, or an output step: bias") !=
        std::string::npos);
}

TEST_CASE("a dead channel keeps its bias, however small its scale") {
  const owned_weight w{.weight = {0, 0}, .scale = {0x1p-23F, 0x1p-23F}};
  const auto a =
      output_arithmetic_of({{8.0F, 0.5F}}, w, {.scale = 0.004F}, quint8, {.scale = 0.5F});
  REQUIRE(a);
  CHECK(static_cast<float>(a->bias[0]) * a->multiplier[0] == doctest::Approx(16.0));
  CHECK(static_cast<float>(a->bias[1]) * a->multiplier[1] == doctest::Approx(1.0));
}

TEST_CASE("an output that could leave int32 is an error as well") {
  const owned_weight w{.weight = {127}, .scale = {1e6F}};
  CHECK(!output_arithmetic_of({{0.0F}}, w, {.scale = 1.0F}, quint8, {.scale = 1e-6F}));
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
