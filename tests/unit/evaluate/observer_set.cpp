// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/observer_set.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

constexpr observer_record min_max{observer_class::min_max, {}};
constexpr observer_record per_channel{
    observer_class::per_channel_min_max,
    {.dtype = qint8, .qscheme = qscheme::per_channel_symmetric, .ch_axis = 1}};

}  // namespace

TEST_CASE("nodes that share an observer add to the same range") {
  observer_set all;
  REQUIRE(all.forward(1, min_max, {{2}, {0.0F, 1.0F}}).has_value());
  REQUIRE(all.forward(1, min_max, {{1, 1}, {-1.0F}}).has_value());
  REQUIRE(all.forward(2, min_max, {{1}, {0.5F}}).has_value());
  REQUIRE(all.qparams(1).has_value());
  CHECK(all.qparams(1)->scale[0] == doctest::Approx(2.0 / 255));
  CHECK(all.qparams(2)->scale[0] == doctest::Approx(0.5 / 255));
}

TEST_CASE("an observer that has seen nothing, or collects nothing, has no qparams") {
  observer_set all;
  CHECK_FALSE(all.qparams(0).has_value());
  constexpr observer_record placeholder{observer_class::placeholder, {.dtype = f16}};
  REQUIRE(all.forward(0, placeholder, {{1}, {1.0F}}).has_value());
  CHECK_FALSE(all.qparams(0).has_value());
}

TEST_CASE("weights of any rank have a scale a channel") {
  const float_ops::tensor flat{{1, 2}, {1.27F, -2.54F}};
  const float_ops::tensor deep{{1, 2, 1, 1, 1, 1, 1}, {1.27F, -2.54F}};
  for (const float_ops::tensor& weight : {flat, deep}) {
    const auto qparams = qparams_of_weight(per_channel, weight, {});
    REQUIRE(qparams.has_value());
    REQUIRE(qparams->has_value());
    CHECK((*qparams)->axis == 1);
    REQUIRE((*qparams)->scale.size() == 2);
    CHECK((*qparams)->scale[1] == doctest::Approx(2 * (*qparams)->scale[0]));
  }
}

TEST_CASE("the axis of the channels is that of the weight, also beyond the ranks of shapes") {
  observer_record fourth = per_channel;
  fourth.args.ch_axis = 3;
  const auto qparams = qparams_of_weight(fourth, {{1, 1, 1, 2, 1, 1}, {1.27F, -2.54F}}, {});
  REQUIRE(qparams.has_value());
  CHECK((*qparams)->axis == 3);
  CHECK((*qparams)->scale.size() == 2);
  const auto folded = qparams_of_weight(fourth, {{1, 1, 1, 2, 1, 1, 1}, {1.27F, -2.54F}}, {});
  REQUIRE(folded.has_value());
  CHECK((*folded)->axis == 3);
  CHECK((*folded)->scale.size() == 2);
}

TEST_CASE("half precision has no qparams") {
  const auto qparams =
      qparams_of_weight({observer_class::placeholder, {.dtype = f16}}, {{1, 1}, {1.0F}}, {});
  REQUIRE(qparams.has_value());
  CHECK_FALSE(qparams->has_value());
}

TEST_CASE("a fake quantize gives what is left of the values") {
  observer_record fake = min_max;
  fake.fake_quantize = fake_quantize_class::fake_quantize;
  observer_set all;
  const auto out = all.forward(0, fake, {{3}, {0.0F, 0.4F, 255.0F}});
  REQUIRE(out.has_value());
  CHECK(out->data == std::vector<float>{0.0F, 0.0F, 255.0F});
  // What is switched off stays so for those that come later.
  observer_set off;
  off.enable(true, false);
  const auto same = off.forward(0, fake, {{3}, {0.0F, 0.4F, 255.0F}});
  REQUIRE(same.has_value());
  CHECK(same->data == std::vector<float>{0.0F, 0.4F, 255.0F});
}
