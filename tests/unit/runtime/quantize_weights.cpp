// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/quantize_weights.hpp"

#include <doctest/doctest.h>

namespace {

using namespace ctq;

const observer_record per_channel =
    per_channel_min_max_observer<{.quant_min = -127, .quant_max = 127}>::value;
const folded_weights two_rows{
    .weight = {1.27F, -0.64F, 0.0F, 0.5F}, .bias = {0.1F, 1.0F}, .outputs = 2};

}  // namespace

TEST_CASE("weights become steps of their row's scale") {
  const auto q = quantize_weights(two_rows, per_channel, {});
  REQUIRE(q);
  CHECK(q->scale[0] == doctest::Approx(0.01));
  CHECK(q->weight == std::vector<std::int8_t>{127, -64, 0, 127});
}

TEST_CASE("one scale for all rows with a per-tensor observer") {
  const auto q = quantize_weights(two_rows,
                                  min_max_observer<{.dtype = qint8,
                                                    .qscheme = qscheme::per_tensor_symmetric,
                                                    .quant_min = -127,
                                                    .quant_max = 127}>::value,
                                  {});
  REQUIRE(q);
  CHECK(q->scale[0] == q->scale[1]);
  CHECK(q->weight == std::vector<std::int8_t>{127, -64, 0, 50});
}

TEST_CASE("groups have 4 bits and a scale each") {
  constexpr observer_record groups =
      per_channel_min_max_observer<{.quant_min = -8, .quant_max = 7, .group_size = 2}>::value;
  const auto q = quantize_weights(
      {.weight = {0.75F, -1.5F, 15, 3, 0.3F, 0.03F}, .bias = {0, 0}, .outputs = 2}, groups, {});
  REQUIRE(q);
  CHECK(q->scale.size() == 4);
  CHECK(q->scale[0] == 0.2F);
  CHECK(q->scale[1] == 2);
  // 15 / 2 is 7.5, which is rounded to 8, which 4 bits do not hold.
  CHECK(q->weight == std::vector<std::int8_t>{4, -8, 7, 7, 1, 7});
}

TEST_CASE("trained qparams without groups do not fit an observer that has them") {
  const weight_qparams trained{{0.5F, 0.5F}, {0, 0}};
  const auto q = quantize_weights(
      {.weight = {1, 2, 3, 4, 5, 6}, .bias = {0, 0}, .outputs = 2},
      per_channel_min_max_observer<{.quant_min = -8, .quant_max = 7, .group_size = 2}>::value, {},
      {}, &trained);
  REQUIRE(!q);
  CHECK(q.error().message() == "weight: has 2 scales; groups of 2 elements need 4");
}

TEST_CASE("affine weights and scales outside the backend's bounds are errors") {
  const auto affine = quantize_weights(two_rows, min_max_observer<{.dtype = qint8}>::value, {});
  REQUIRE(!affine);
  CHECK(affine.error().cause == "the zero point must be 0: ask for a symmetric qscheme");
  CHECK(quantize_weights(two_rows, min_max_observer<>::value, {}).error().cause ==
        "there are kernels for qint8, not for quint8");
  const auto by_input = quantize_weights(
      {.weight = {1, 2, 3}, .bias = {0}, .outputs = 1},
      per_channel_min_max_observer<{.quant_min = -127, .quant_max = 127, .ch_axis = 1}>::value, {});
  REQUIRE(!by_input);
  CHECK(by_input.error().message() == "weight: ch_axis must be 0, the outputs");
  const auto small_scale =
      quantize_weights(two_rows, per_channel, {.scale_min_lower_bound = 0.005});
  REQUIRE(!small_scale);
  CHECK(small_scale.error().cause.find("below the backend's bound 0.005") != std::string::npos);
  CHECK(!quantize_weights(two_rows, per_channel, {.scale_max_upper_bound = 0.005}));
}
