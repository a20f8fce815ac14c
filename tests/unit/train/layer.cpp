// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/layer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <span>

#include "ctq/evaluate/qat_modules.hpp"
#include "differences.hpp"

// A layer equals the module of the evaluator, which accumulates in double.

using namespace ctq;

namespace {

std::vector<float> random(std::size_t count, std::uint64_t seed) {
  const differences::vector x = differences::random(count, seed);
  return {x.begin(), x.end()};
}

constexpr observer_record per_channel{
    observer_class::moving_average_per_channel_min_max,
    {.dtype = qint8, .qscheme = qscheme::per_channel_symmetric, .quant_min = -7, .quant_max = 7},
    fake_quantize_class::fake_quantize};

struct example {
  conv2d_options convolution{};
  bool is_linear = false, bias = false, norm = false, relu = false;
  std::vector<int> weight_shape, in_shape, out_shape;
};

ctq::shape shape_of(const std::vector<int>& s) {
  ctq::shape out;
  for (const int e : s) out[out.rank++] = e;
  return out;
}

void near(std::span<const float> a, std::span<const float> b) {
  REQUIRE(a.size() == b.size());
  float largest = 0;
  for (const float x : b) largest = std::max(largest, std::fabs(x));
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(a[i] - b[i]) <= 2e-6F * largest + 1e-7F);
  }
}

weights weights_of(const example& e) {
  const int outputs = e.weight_shape[0];
  const auto channels = static_cast<std::size_t>(outputs);
  std::vector<weight_tensor> tensors{
      {"m.weight", e.weight_shape, random(numel(shape_of(e.weight_shape)), 1)}};
  if (e.bias) tensors.push_back({"m.bias", {outputs}, random(channels, 2)});
  if (e.norm) {
    for (const char* name : {"n.weight", "n.bias", "n.running_mean", "n.running_var"})
      tensors.push_back({name, {outputs}, random(channels, 3 + tensors.size())});
    for (float& v : tensors.back().values) v = v * v + 0.1F;
  }
  return weights{tensors};
}

/// The module of the evaluator.
module_in_training module_of(const example& e, const weights& w) {
  const auto tensor_of = [&](const char* name) {
    const weight_tensor& t = *w.find(name);
    return float_ops::tensor{{t.shape.begin(), t.shape.end()}, t.values};
  };
  qat_parameters p{.weight = tensor_of("m.weight"), .relu = e.relu};
  if (e.bias) p.bias = tensor_of("m.bias");
  const conv2d_options& c = e.convolution;
  p.convolution = {.stride = {c.stride.h, c.stride.w},
                   .padding = {c.padding.h, c.padding.w},
                   .dilation = {c.dilation.h, c.dilation.w},
                   .groups = c.groups};
  if (e.norm)
    p.bn = qat_norm{.weight = tensor_of("n.weight"),
                    .bias = tensor_of("n.bias"),
                    .running_mean = tensor_of("n.running_mean"),
                    .running_var = tensor_of("n.running_var"),
                    .eps = 1e-3};
  return module_in_training(p, per_channel);
}

void zero_gradients(training::layer<isa::native>& layer) {
  std::ranges::fill(layer.weight().gradient, 0.0F);
  if (layer.bias()) std::ranges::fill(layer.bias()->gradient, 0.0F);
  if (!layer.norm()) return;
  std::ranges::fill(layer.norm()->gamma().gradient, 0.0F);
  std::ranges::fill(layer.norm()->beta().gradient, 0.0F);
}

void compare(const example& e) {
  const weights w = weights_of(e);
  module_in_training expected = module_of(e, w);
  training::layer<isa::native> layer(
      {.name = "m",
       .convolution = e.is_linear ? std::nullopt : std::optional{e.convolution},
       .batch_norm = e.norm ? "n" : "",
       .eps = 1e-3,
       .relu = e.relu,
       .fake_quantize = &per_channel},
      w);
  const ctq::shape in_shape = shape_of(e.in_shape), out_shape = shape_of(e.out_shape);
  for (const std::uint64_t step : {20U, 30U}) {
    const float_ops::tensor x{{e.in_shape.begin(), e.in_shape.end()},
                              random(numel(in_shape), step)};
    const float_ops::tensor grad{{e.out_shape.begin(), e.out_shape.end()},
                                 random(numel(out_shape), step + 1)};
    const auto y = expected.train(x);
    REQUIRE(y);
    REQUIRE(y->shape == grad.shape);
    const auto g = expected.backward(grad);
    REQUIRE(g);

    std::vector<float> out(numel(out_shape)), grad_out = grad.data, grad_in(numel(in_shape));
    REQUIRE(layer.forward(in_shape, x.data.data(), out_shape, out.data(), true, 0.1));
    near(out, y->data);
    zero_gradients(layer);
    REQUIRE(layer.backward(in_shape, x.data.data(), out_shape, out.data(), grad_out.data(),
                           grad_in.data()));
    near(grad_in, g->x.data);
    near(layer.weight().gradient, g->weight.data);
    if (e.bias && !e.norm) near(layer.bias()->gradient, g->bias->data);
    if (!e.norm) continue;
    near(layer.norm()->gamma().gradient, g->bn_weight->data);
    near(layer.norm()->beta().gradient, g->bn_bias->data);
    near(layer.norm()->running_mean().value, expected.parameters().bn->running_mean.data);
    near(layer.norm()->running_variance().value, expected.parameters().bn->running_var.data);
  }
  // With the running statistics.
  const float_ops::tensor x{{e.in_shape.begin(), e.in_shape.end()}, random(numel(in_shape), 40)};
  std::vector<float> out(numel(out_shape));
  REQUIRE(layer.forward(in_shape, x.data.data(), out_shape, out.data(), false, 0.1));
  near(out, expected.evaluate(x)->data);
}

TEST_CASE("layers train as PyTorch's modules") {
  const conv2d_options dense{.in_channels = 3, .out_channels = 5, .kernel_size = 3, .padding = 1};
  conv2d_options depthwise{.in_channels = 4,
                           .out_channels = 4,
                           .kernel_size = 3,
                           .stride = 2,
                           .padding = 1,
                           .groups = 4};
  compare({.convolution = dense,
           .bias = true,
           .weight_shape = {5, 3, 3, 3},
           .in_shape = {2, 3, 6, 5},
           .out_shape = {2, 5, 6, 5}});
  compare({.convolution = dense,
           .norm = true,
           .relu = true,
           .weight_shape = {5, 3, 3, 3},
           .in_shape = {2, 3, 6, 5},
           .out_shape = {2, 5, 6, 5}});
  compare({.convolution = depthwise,
           .bias = true,
           .norm = true,
           .weight_shape = {4, 1, 3, 3},
           .in_shape = {3, 4, 7, 7},
           .out_shape = {3, 4, 4, 4}});
  compare({.is_linear = true,
           .bias = true,
           .relu = true,
           .weight_shape = {6, 9},
           .in_shape = {7, 9},
           .out_shape = {7, 6}});
  compare({.is_linear = true,
           .norm = true,
           .weight_shape = {6, 9},
           .in_shape = {7, 9},
           .out_shape = {7, 6}});
}

TEST_CASE("a batch norm cannot be trained on one element per channel") {
  const weights w{{{"m.weight", {2, 3}, random(6, 1)},
                   {"n.weight", {2}, {1, 1}},
                   {"n.bias", {2}, {0, 0}},
                   {"n.running_mean", {2}, {0, 0}},
                   {"n.running_var", {2}, {1, 1}}}};
  training::layer<isa::native> layer({.name = "m", .batch_norm = "n"}, w);
  const std::vector<float> x(3, 1.0F);
  std::vector<float> out(2);
  CHECK(layer.forward({1, 3}, x.data(), {1, 2}, out.data(), true, 0.1).error().message() ==
        "batch norm n.weight: cannot be trained on one element per channel");
  CHECK(layer.forward({1, 3}, x.data(), {1, 2}, out.data(), false, 0.1));
}

TEST_CASE("scales of a learnable fake quantize have gradients") {
  observer_record learnable = per_channel;
  learnable.fake_quantize = fake_quantize_class::learnable_fake_quantize;
  const weights w{{{"m.weight", {2, 3}, {0.1F, -0.5F, 0.3F, 1.0F, 0.2F, -0.7F}}}};
  training::layer<isa::native> layer({.name = "m", .fake_quantize = &learnable}, w);
  const std::vector<float> x{1.0F, 2.0F, 3.0F};
  std::vector<float> out(2), grad{1.0F, -1.0F};
  REQUIRE(layer.forward({1, 3}, x.data(), {1, 2}, out.data(), true, 0.1));
  auto* const f = layer.fake_quantize()->get_if<observers::learnable_fake_quantize>();
  REQUIRE(f != nullptr);
  f->enable_param_learning();
  REQUIRE(layer.forward({1, 3}, x.data(), {1, 2}, out.data(), true, 0.1));
  REQUIRE(layer.backward({1, 3}, x.data(), {1, 2}, out.data(), grad.data(), nullptr));
  REQUIRE(layer.qparams_gradients().size() == 2);
  // The derivative of q * scale by scale is q - w / scale where it is not clamped.
  double expected = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double q = static_cast<double>(layer.weight().value[i] / f->scale()[0]);
    expected += static_cast<double>(x[i]) * (std::nearbyint(q) - q);
  }
  CHECK(static_cast<double>(layer.qparams_gradients()[0].scale) ==
        doctest::Approx(expected).epsilon(1e-4));
}

}  // namespace
