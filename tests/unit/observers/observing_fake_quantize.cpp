// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/observing_fake_quantize.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using namespace ctq;
using observers::observing_fake_quantize;

namespace {

constexpr auto old = semantics::torch_1_13;

using average = moving_average_min_max_observer<{.quant_min = 0, .quant_max = 255}>;
constexpr observer_record plain = fake_quantize<average>::value;
constexpr observer_record fused = fused_moving_avg_obs_fake_quantize<average>::value;
constexpr observer_record fused_weight = fused_moving_avg_obs_fake_quantize<
    moving_average_min_max_observer<{.dtype = qint8,
                                     .qscheme = qscheme::per_tensor_symmetric,
                                     .quant_min = -128,
                                     .quant_max = 127}>>::value;
constexpr observer_record fused_channels = fused_moving_avg_obs_fake_quantize<
    moving_average_per_channel_min_max_observer<{.quant_min = -128, .quant_max = 127}>>::value;

const std::vector<float> data{-1.0F, 0.3F, 1.55F};

std::vector<float> forward(observing_fake_quantize& f, const std::vector<float>& x) {
  std::vector<float> y(x.size());
  const status s = f.forward(x, shape(static_cast<int>(x.size())), y);
  REQUIRE_MESSAGE(s, s.error().message());
  return y;
}

float scale_of(const observing_fake_quantize& f) { return f.parameters().scale[0]; }

TEST_CASE("forward observes, updates the parameters, and rounds") {
  observing_fake_quantize f(plain);
  CHECK(scale_of(f) == 1.0F);
  const auto y = forward(f, data);
  CHECK(scale_of(f) == 2.55F / 255.0F);
  CHECK(f.parameters().zero_point == std::vector{100});
  CHECK(y[1] == 30.0F * scale_of(f));
}

TEST_CASE("observer and fake quantize can be disabled separately") {
  observing_fake_quantize f(plain);
  f.enable_fake_quant(false);
  CHECK(forward(f, data) == data);
  CHECK(scale_of(f) == 2.55F / 255.0F);
  std::vector<float> grad{1, 2, 3};
  REQUIRE(f.backward(std::vector{1e9F, 0.0F, 0.0F}, shape(3), grad, grad));
  CHECK(grad == std::vector<float>{1, 2, 3});
  f.enable_fake_quant();
  f.enable_observer(false);
  CHECK(forward(f, {100.0F})[0] == doctest::Approx(1.55F));
  CHECK(scale_of(f) == 2.55F / 255.0F);
}

TEST_CASE("a disabled observer leaves the parameters as they are, even if it could give none") {
  observing_fake_quantize f(plain);
  forward(f, data);
  std::vector<float> out(1);
  CHECK(!f.forward(std::vector{std::numeric_limits<float>::quiet_NaN()}, shape(1), out));
  f.enable_observer(false);
  CHECK(forward(f, {100.0F})[0] == doctest::Approx(1.55F));
  CHECK(scale_of(f) == 2.55F / 255.0F);
}

TEST_CASE("the gradient is that of the parameters in use") {
  observing_fake_quantize f(plain);
  forward(f, data);
  std::vector<float> grad{1, 2, 3};
  REQUIRE(f.backward(std::vector{-1.1F, 0.0F, 1.6F}, shape(3), grad, grad));
  CHECK(grad == std::vector<float>{0, 2, 0});
}

TEST_CASE("training and conversion have one qparams formula") {
  const std::vector<float> cases[] = {
      {-1.0F, 0.3F, 1.55F}, {-2.0F, -1.0F}, {0.0F, 0.0F}, {-1e-5F, 1e-5F}};
  for (const observer_record& record : {fused, fused_weight})
    for (const auto& x : cases) {
      observing_fake_quantize f(record);
      forward(f, x);
      const auto converted = f.calculate_qparams();
      REQUIRE(converted);
      CHECK(scale_of(f) == converted->scale);
      CHECK(f.parameters().zero_point[0] == converted->zero_point);
    }
  observing_fake_quantize f(fused_channels);
  std::vector<float> y(4);
  REQUIRE(f.forward(std::vector{-2.0F, -1.0F, 0.0F, 1e-5F}, shape(2, 2), y));
  CHECK(f.parameters() == *f.calculate_per_channel_qparams());
}

TEST_CASE("1.13 trains with the formula of dynamic quantization, and converts with another") {
  observing_fake_quantize negative(fused_weight, old);
  forward(negative, {-2.0F, -1.0F});
  CHECK(scale_of(negative) == static_cast<float>(2.0 / 255));  // half of what conversion takes
  CHECK(negative.parameters().zero_point[0] == 127);
  CHECK(negative.calculate_qparams()->scale == 2.0F / 127.5F);
  CHECK(negative.calculate_qparams()->zero_point == 0);
  observing_fake_quantize zeros(fused, old);
  forward(zeros, {0.0F});
  CHECK(scale_of(zeros) == 0.1F);
  CHECK(zeros.calculate_qparams()->scale == 0x1p-23F);
}

TEST_CASE(
    "1.13 updates the parameters of the fused module while it rounds, not while it observes") {
  observing_fake_quantize f(fused, old);
  std::vector<float> y(1);
  f.enable_observer(false);
  CHECK(!f.forward(std::vector{1.0F}, shape(1), y));  // nothing observed
  f.enable_observer();
  f.enable_fake_quant(false);
  forward(f, data);
  CHECK(scale_of(f) == 1.0F);
  f.enable_fake_quant();
  f.enable_observer(false);
  forward(f, data);
  CHECK(scale_of(f) == 2.55F / 255.0F);
}

TEST_CASE("the fused module has all of quint8 when no range is given") {
  const observing_fake_quantize f(
      fused_moving_avg_obs_fake_quantize<moving_average_min_max_observer<>>::value);
  CHECK(f.record().args.quant_max == optional_int{255});
  CHECK(f.parameters().quant_max == 255);
}

TEST_CASE("fixed parameters are available from the start and do not change") {
  observing_fake_quantize f(
      fixed_qparams_fake_quantize<
          fixed_qparams_observer<{.quant_min = 0, .quant_max = 255, .scale = 0x1p-8F}>>::value);
  CHECK(scale_of(f) == 0x1p-8F);
  CHECK(forward(f, {-1.0F, 0.5F, 7.0F}) == std::vector{0.0F, 0.5F, 255.0F / 256.0F});
}

TEST_CASE("rows of embeddings keep their float zero points") {
  observing_fake_quantize f(fake_quantize<moving_average_per_channel_min_max_observer<{
                                .dtype = quint8,
                                .qscheme = qscheme::per_channel_affine_float_qparams,
                                .averaging_constant = 1}>>::value);
  CHECK(f.parameters().float_zero_point.size() == 1);
  const std::vector<float> w{1.0F, 3.55F, -0.5F, 2.05F};
  std::vector<float> y(4);
  REQUIRE(f.forward(w, shape(2, 2), y));
  CHECK(f.parameters().float_zero_point.size() == 2);
  for (std::size_t i = 0; i < 4; ++i) CHECK(y[i] == doctest::Approx(w[i]));
}

TEST_CASE("data or arguments without valid parameters give an error value") {
  std::vector<float> y(1);
  observing_fake_quantize f(plain);
  CHECK(!f.forward(std::vector{std::numeric_limits<float>::quiet_NaN()}, shape(1), y));
  const auto cause = [&](const observer_record& r) {
    return observing_fake_quantize(r).forward(std::vector{1.0F}, shape(1), y).error().message();
  };
  CHECK(cause(fused_moving_avg_obs_fake_quantize<min_max_observer<>>::value) ==
        "FusedMovingAvgObsFakeQuantize: its observer is not a moving average");
  CHECK(cause(fixed_qparams_fake_quantize<min_max_observer<>>::value) ==
        "FixedQParamsFakeQuantize: its observer is not FixedQParamsObserver");
  CHECK(cause(fake_quantize<recording_observer<>>::value) ==
        "FakeQuantize: its observer has no quantization parameters");
  observing_fake_quantize channels(fused_channels);
  std::vector<float> out(6);
  REQUIRE(channels.forward(std::vector<float>(4, 1.0F), shape(2, 2), out));
  channels.enable_observer(false);
  CHECK(channels.forward(std::vector<float>(6, 1.0F), shape(3, 2), out).error().cause ==
        "the number of channels of the tensor and of the parameters differ");
  CHECK(!channels.backward(std::vector<float>(6, 1.0F), shape(3, 2), out, out));
}

}  // namespace
