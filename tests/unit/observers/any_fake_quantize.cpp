// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/any_fake_quantize.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ctq;
using observers::any_fake_quantize;

namespace {

const std::vector<float> data{-1.0F, 0.25F, 0.5F, 1.55F};

TEST_CASE("every class can be made from a record, and trains") {
  using average = moving_average_min_max_observer<>;
  using channels = moving_average_per_channel_min_max_observer<{
      .dtype = quint8, .qscheme = qscheme::per_channel_affine}>;
  for (const observer_record& record :
       {fake_quantize<average>::value, fake_quantize<histogram_observer<>>::value,
        fake_quantize<channels>::value, fused_moving_avg_obs_fake_quantize<average>::value,
        fused_moving_avg_obs_fake_quantize<channels>::value,
        fixed_qparams_fake_quantize<fixed_qparams_observer<{.scale = 0x1p-8F}>>::value,
        learnable_fake_quantize<average>::value, learnable_fake_quantize<channels>::value}) {
    any_fake_quantize f(record);
    CAPTURE(name_of(f.record().fake_quantize));
    CAPTURE(name_of(f.record().type));
    std::vector<float> y(4), grad(4, 1.0F);
    REQUIRE(f.forward(data, shape(2, 2), y));
    REQUIRE(f.backward(data, shape(2, 2), grad, grad));
    CHECK(f.observer().observed());
    CHECK(f.is_per_channel() == f.calculate_per_channel_qparams().has_value());
    CHECK(f.is_per_channel() != f.calculate_qparams().has_value());
  }
}

TEST_CASE("observer and fake quantize are initially enabled and can be disabled") {
  for (const observer_record& record :
       {fake_quantize<moving_average_min_max_observer<>>::value,
        learnable_fake_quantize<moving_average_min_max_observer<>>::value}) {
    any_fake_quantize f(record);
    CHECK(f.observer_enabled());
    CHECK(f.fake_quant_enabled());
    f.disable_observer();
    f.disable_fake_quant();
    CHECK(!f.observer_enabled());
    CHECK(!f.fake_quant_enabled());
    std::vector<float> y(4);
    REQUIRE(f.forward(data, shape(4), y));
    CHECK(y == data);
    CHECK(!f.observer().observed());
  }
}

TEST_CASE("get_if returns the contained class") {
  any_fake_quantize f(learnable_fake_quantize<moving_average_min_max_observer<>>::value);
  REQUIRE(f.get_if<observers::learnable_fake_quantize>() != nullptr);
  CHECK(f.get_if<observers::observing_fake_quantize>() == nullptr);
  f.get_if<observers::learnable_fake_quantize>()->enable_param_learning();
  CHECK(!f.observer_enabled());
}

}  // namespace
