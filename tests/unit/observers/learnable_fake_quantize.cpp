// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/learnable_fake_quantize.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace ctq;

namespace {

using module = observers::learnable_fake_quantize;

constexpr observer_record per_tensor =
    learnable_fake_quantize<moving_average_min_max_observer<>>::value;
constexpr observer_record symmetric = learnable_fake_quantize<
    moving_average_min_max_observer<{.dtype = qint8,
                                     .qscheme = qscheme::per_tensor_symmetric,
                                     .quant_min = -128,
                                     .quant_max = 127}>>::value;
constexpr observer_record channels = learnable_fake_quantize<
    moving_average_per_channel_min_max_observer<{.quant_min = -128, .quant_max = 127}>>::value;

const std::vector<float> data{-1.0F, 0.3F, 1.55F};

TEST_CASE("initially the observer sets the parameters, and nothing is learned") {
  module f(per_tensor);
  std::vector<float> y(3);
  REQUIRE(f.forward(data, shape(3), y));
  CHECK(f.scale()[0] == 2.55F / 255.0F);
  CHECK(f.zero_point()[0] == 100.0F);
  CHECK(y[1] == 30.0F * f.scale()[0]);
  std::vector<float> grad(3, 1.0F);
  const auto g = f.backward(data, shape(3), grad, grad);
  REQUIRE(g);
  CHECK(g->empty());
}

TEST_CASE("after enable_param_learning an optimizer sets the parameters") {
  module f(per_tensor);
  std::vector<float> y(3);
  REQUIRE(f.forward(data, shape(3), y));
  f.enable_param_learning();
  f.scale()[0] = 0.5F;
  f.zero_point()[0] = 2.3F;
  REQUIRE(f.forward(data, shape(3), y));
  CHECK(y == std::vector{-1.0F, 0.5F, 1.5F});
  std::vector<float> grad(3, 1.0F);
  const auto g = f.backward(data, shape(3), grad, grad);
  REQUIRE(g);
  REQUIRE(g->size() == 1);
  CHECK((*g)[0].scale == doctest::Approx((0.0 + 0.2 - 0.05) / 0.5));
  const auto q = f.calculate_qparams();
  REQUIRE(q);
  CHECK(*q == qparams{0.5F, 2, 0, 255});
}

TEST_CASE("static observation does not change values") {
  module f(per_tensor);
  f.enable_static_observation();
  std::vector<float> y(3), grad{1, 2, 3};
  REQUIRE(f.forward(data, shape(3), y));
  CHECK(y == data);
  REQUIRE(f.backward(data, shape(3), grad, grad));
  CHECK(grad == std::vector<float>{1, 2, 3});
  f.enable_static_estimate();
  CHECK(f.fake_quant_enabled());
  CHECK(!f.learning_enabled());
}

TEST_CASE("learned scales stay positive, symmetric zero points stay 0") {
  module f(symmetric);
  f.enable_param_learning();
  f.scale()[0] = -3.0F;
  f.zero_point()[0] = 5.0F;
  std::vector<float> y(3);
  REQUIRE(f.forward(data, shape(3), y));
  CHECK(f.scale()[0] == 0x1p-23F);
  CHECK(f.zero_point()[0] == 0.0F);
}

TEST_CASE("the gradient of the parameters can be scaled") {
  observer_record scaled = per_tensor;
  scaled.args.use_grad_scaling = true;
  module f(scaled), plain(per_tensor);
  std::vector<float> y(3), grad(3, 1.0F);
  for (module* m : {&f, &plain}) {
    m->enable_param_learning();
    REQUIRE(m->forward(data, shape(3), y));
  }
  const auto small = f.backward(data, shape(3), grad, y);
  const auto large = plain.backward(data, shape(3), grad, y);
  CHECK((*small)[0].scale ==
        doctest::Approx((*large)[0].scale / std::sqrt(3.0 * 255.0)).epsilon(1e-6));
}

TEST_CASE("per channel, the first tensor allocates the parameters") {
  module f(channels);
  f.enable_param_learning();
  std::vector<float> y(4);
  REQUIRE(f.forward(std::vector{0.6F, -1.4F, 300.0F, 2.0F}, shape(2, 2), y));
  CHECK(f.scale().size() == 2);
  CHECK(y == std::vector{1.0F, -1.0F, 127.0F, 2.0F});
  const auto g = f.backward(std::vector{0.6F, -1.4F, 300.0F, 2.0F}, shape(2, 2), y, y);
  REQUIRE(g);
  CHECK(g->size() == 2);
  CHECK(f.calculate_per_channel_qparams()->scale == std::vector{1.0F, 1.0F});
  CHECK(!f.calculate_qparams());
  CHECK(f.forward(std::vector<float>(3), shape(3, 1), y).error().message() ==
        "_LearnableFakeQuantize: the number of channels of the tensor and of the parameters "
        "differ");
  f.enable_static_estimate();
  REQUIRE(f.forward(std::vector{0.0F, 1.275F, -2.55F, 0.0F}, shape(2, 2), y));
  CHECK(f.scale()[1] == 2.55F / 127.5F);
}

TEST_CASE("a float zero point cannot be trained") {
  module f(learnable_fake_quantize<per_channel_min_max_observer<{
               .dtype = quint8, .qscheme = qscheme::per_channel_affine_float_qparams}>>::value);
  std::vector<float> y(3);
  CHECK(!f.forward(data, shape(3, 1), y));
}

}  // namespace
