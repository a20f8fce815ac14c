// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/qat_modules.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace ctq;
using float_ops::tensor;

// Output, gradients and state of a step are compared with PyTorch's by tests/golden.

namespace {

tensor waves(float_ops::extents shape, double frequency) {
  tensor t = float_ops::filled(std::move(shape));
  for (std::size_t i = 0; i < t.data.size(); ++i)
    t.data[i] = static_cast<float>(std::sin(frequency * static_cast<double>(i + 1)));
  return t;
}

constexpr observer_record weight_fake_quant{
    observer_class::moving_average_min_max,
    {.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric, .quant_min = -128, .quant_max = 127},
    fake_quantize_class::fused_moving_avg_obs_fake_quantize};

qat_parameters conv_bn_relu() {
  return {.weight = waves({3, 2, 2, 2}, 1.1),
          .bias = waves({3}, 0.4),
          .convolution = {.stride = {1, 1}, .padding = {1, 1}, .dilation = {1, 1}},
          .bn = qat_norm{.weight = waves({3}, 0.8),
                         .bias = waves({3}, 2.2),
                         .running_mean = waves({3}, 0.3),
                         .running_var = float_ops::filled({3}, 1.5F)},
          .relu = true};
}

double weighted_sum(const tensor& out, const tensor& by) {
  double sum = 0;
  for (std::size_t i = 0; i < out.data.size(); ++i)
    sum += static_cast<double>(out.data[i]) * static_cast<double>(by.data[i]);
  return sum;
}

}  // namespace

TEST_CASE("without rounding, gradients are the slopes of the output") {
  const tensor x = waves({2, 2, 4, 3}, 0.7);
  const auto module_of = [](const qat_parameters& p) {
    module_in_training m(p, weight_fake_quant);
    m.weight_fake_quant().disable_fake_quant();
    return m;
  };
  qat_parameters p = conv_bn_relu();
  module_in_training m = module_of(p);
  const auto y = m.train(x);
  REQUIRE(y);
  const tensor by = waves(y->shape, 2.6);
  const auto g = m.backward(by);
  REQUIRE(g);
  const auto check = [&](tensor& of, const tensor& gradient) {
    for (std::size_t i = 0; i < of.data.size(); ++i) {
      constexpr float step = 0x1p-9F;
      const float before = of.data[i];
      of.data[i] = before + step;
      const double more = weighted_sum(*module_of(p).train(x), by);
      of.data[i] = before - step;
      const double less = weighted_sum(*module_of(p).train(x), by);
      of.data[i] = before;
      const double slope = (more - less) / (2.0 * static_cast<double>(step));
      CHECK(std::abs(static_cast<double>(gradient.data[i]) - slope) < 0.02);
    }
  };
  check(p.weight, g->weight);
  check(p.bn->weight, *g->bn_weight);
  check(p.bn->bias, *g->bn_bias);
  check(*p.bias, *g->bias);
}

TEST_CASE("a weight that saturates has no gradient") {
  qat_parameters p{.weight = {{1, 2}, {0.5F, 1.0F}}};
  module_in_training m(p, weight_fake_quant);
  REQUIRE(m.train({{1, 2}, {1, 1}}));  // the observer has seen 1
  m.weight_fake_quant().disable_observer();
  m.parameters().weight.data[1] = 2.0F;
  REQUIRE(m.train({{1, 2}, {3, 5}}));
  const auto g = m.backward({{1, 1}, {1}});
  REQUIRE(g);
  CHECK(g->weight.data == std::vector<float>{3, 0});
  CHECK_FALSE(g->bias.has_value());
}

TEST_CASE("training moves the statistics of the batch norm, evaluating uses them") {
  module_in_training m(conv_bn_relu(), weight_fake_quant);
  const tensor x = waves({2, 2, 4, 3}, 0.7);
  REQUIRE(m.train(x));
  CHECK(m.parameters().bn->num_batches_tracked == 1);
  const std::vector<float> mean = m.parameters().bn->running_mean.data;
  CHECK(mean != conv_bn_relu().bn->running_mean.data);
  REQUIRE(m.evaluate(x));
  CHECK(m.parameters().bn->running_mean.data == mean);
}

TEST_CASE("what does not fit is an error") {
  module_in_training m(conv_bn_relu(), weight_fake_quant);
  // before any train
  CHECK(m.backward(float_ops::filled({2, 3, 5, 4}))
            .error()
            .cause.find("is for the output of train") != std::string::npos);
  CHECK(m.train(float_ops::filled({2, 2, 4})).error().cause == "has other axes than the weight");
  CHECK(m.train(float_ops::filled({2, 5, 4, 4})).error().cause ==
        "the input has 5 channels, not 2");
  CHECK(module_in_training({.weight = {{2}, {0.5F, 1.0F}}}, weight_fake_quant)
            .train(float_ops::filled({2}))
            .error()
            .message() == "weight: has fewer than two axes");
  qat_parameters p = conv_bn_relu();
  p.bn->weight = float_ops::filled({2});
  CHECK_FALSE(
      module_in_training(p, weight_fake_quant).train(float_ops::filled({2, 2, 4, 4})).has_value());
}
