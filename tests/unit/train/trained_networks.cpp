// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "ctq/runtime/interpreter.hpp"
#include "ctq/train/losses.hpp"
#include "ctq/train/optimizers.hpp"
#include "ctq/train/qat_model.hpp"
#include "small_models.hpp"

// The blocks of MobileNetV2 and DS-CNN are trained, converted, and run on integers.

using namespace ctq;
using namespace ctq::literals;

namespace {

/// A stem, an inverted residual with its shortcut, the head with dropout.
inline constexpr auto inverted_residual = model(
    "x"_n = nn::placeholder({1, 3, 8, 8}),
    "stem"_n = nn::conv2d(
        "x"_n, {.out_channels = 8, .kernel_size = 3, .stride = 2, .padding = 1, .bias = false}),
    "bn1"_n = nn::batch_norm2d("stem"_n), "relu1"_n = nn::relu6("bn1"_n),
    "expand"_n = nn::conv2d("relu1"_n, {.out_channels = 16, .kernel_size = 1, .bias = false}),
    "bn2"_n = nn::batch_norm2d("expand"_n), "relu2"_n = nn::relu6("bn2"_n),
    "depthwise"_n = nn::conv2d(
        "relu2"_n,
        {.out_channels = 16, .kernel_size = 3, .padding = 1, .groups = 16, .bias = false}),
    "bn3"_n = nn::batch_norm2d("depthwise"_n), "relu3"_n = nn::relu6("bn3"_n),
    "project"_n = nn::conv2d("relu3"_n, {.out_channels = 8, .kernel_size = 1, .bias = false}),
    "bn4"_n = nn::batch_norm2d("project"_n), "sum"_n = op::add("bn4"_n, "relu1"_n),
    "pool"_n = nn::adaptive_avg_pool2d("sum"_n, {.output_size = 1}),
    "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
    "drop"_n = nn::dropout("flat"_n, {.p = 0.1F}),
    "fc"_n = nn::linear("drop"_n, {.out_features = 4}), "out"_n = nn::output("fc"_n));

/// As DS-CNN for spectrograms: a convolution, then a depthwise and a pointwise one with relus.
inline constexpr auto separable =
    model("x"_n = nn::placeholder({1, 1, 8, 8}),
          "stem"_n = nn::conv2d(
              "x"_n, {.out_channels = 8, .kernel_size = {4, 3}, .stride = 2, .padding = {1, 1}}),
          "bn1"_n = nn::batch_norm2d("stem"_n), "relu1"_n = nn::relu("bn1"_n),
          "depthwise"_n = nn::conv2d(
              "relu1"_n, {.out_channels = 8, .kernel_size = 3, .padding = 1, .groups = 8}),
          "bn2"_n = nn::batch_norm2d("depthwise"_n), "relu2"_n = nn::relu("bn2"_n),
          "pointwise"_n = nn::conv2d("relu2"_n, {.out_channels = 8, .kernel_size = 1}),
          "bn3"_n = nn::batch_norm2d("pointwise"_n), "relu3"_n = nn::relu("bn3"_n),
          "drop"_n = nn::dropout("relu3"_n, {.p = 0.1F}),
          "pool"_n = nn::avg_pool2d("drop"_n, {.kernel_size = {3, 4}}),
          "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
          "fc"_n = nn::linear("flat"_n, {.out_features = 4}), "out"_n = nn::output("fc"_n));

/// The range of a weight is that of the last step, so that others find it from the weight alone.
struct last_range
    : qconfig_mapping<global<qconfig<
          fake_quantize<moving_average_min_max_observer<{.dtype = quint8}>>,
          fake_quantize<moving_average_per_channel_min_max_observer<{
              .dtype = qint8, .quant_min = -127, .quant_max = 127, .averaging_constant = 1.0}>>>>> {
};

constexpr int samples = 8;

template <class Model>
auto loss_of(Model& model, std::span<const float> images) {
  static constexpr int labels[] = {0, 1, 2, 3, 3, 2, 1, 0};
  const auto logits = model.forward(images).value_or_exit();
  return cross_entropy(logits, labels).value_or_exit();
}

/// The relative error of the derivative along the gradient, without rounding.
template <class Model>
double error_of_gradient(Model& model, std::span<const float> images) {
  model.zero_gradients();
  REQUIRE(model.backward(loss_of(model, images).gradient));
  double square = 0;
  for (const auto& p : model.parameters())
    for (const float g : p.gradient) square += static_cast<double>(g) * g;
  const double length = std::sqrt(square);
  const auto moved = [&](double by) {
    for (const auto& p : model.parameters())
      for (std::size_t i = 0; i < p.value.size(); ++i)
        p.value[i] += static_cast<float>(by * p.gradient[i] / length);
    return loss_of(model, images).loss;
  };
  const double step = 1e-3;
  const double after = moved(step);
  const double before = moved(-2 * step);
  moved(step);
  return std::fabs((after - before) / (2 * step) - length) / length;
}

template <const auto& Net, class Mapping = last_range>
void train_and_convert() {
  auto model = prepare_qat<Net, x86, Mapping>(
      model_weights<Net>::check(small::uniform_weights<Net>(1)).value_or_exit(), {.seed = 4});
  constexpr std::size_t size = static_cast<std::size_t>(numel(Net.nodes[0].shape));
  const std::vector<float> images = small::random_values(samples * size, 2);

  model.eval();  // without dropout, which each run draws anew
  model.disable_fake_quant();
  CHECK(error_of_gradient(model, images) < 1e-2);
  model.enable_fake_quant();

  model.train();
  adam optimizer({.learning_rate = 0.02F});
  double first = 0, last = 0;  // of some steps each, since dropout differs
  for (int step = 0; step < 100; ++step) {
    const auto loss = loss_of(model, images);
    (step < 5 ? first : last) += step < 5 || step >= 95 ? loss.loss : 0.0;
    model.zero_gradients();
    REQUIRE(model.backward(loss.gradient));
    optimizer.step(model.parameters());
  }
  CHECK(last < 0.8 * first);

  model.eval();  // weights are observed as convert does, with their batch norms folded
  const auto simulated = model.forward(images).value_or_exit();
  const auto int8 = convert(model).value_or_exit();
  using plan = typename std::remove_cvref_t<decltype(int8)>::plan;
  auto oracle = interpreter<reference_kernels>::make(plan::lowered.view(), model.float_weights(),
                                                     int8.qparams(), plan::backend, plan::mapping);
  REQUIRE(oracle);
  session run{int8};
  for (std::size_t i = 0; i < samples; ++i) {
    typename io_types<plan::int8_schedule>::input x;
    std::ranges::copy(std::span(images).subspan(i * size, size), x.begin());
    const auto y = run(x);
    auto expected = y;
    oracle->run(x.data(), expected.data());
    CHECK(y.values == expected.values);
    const float one = int8.qparams().back().scale;
    for (std::size_t c = 0; c < 4; ++c)  // both are whole steps
      CHECK(std::nearbyint(std::fabs(y[c] - simulated[i * 4 + c]) / one) <= 4.0F);
  }
}

TEST_CASE("an inverted residual with relu6 and dropout trains, and runs on integers") {
  train_and_convert<inverted_residual>();
}

TEST_CASE("depthwise separable convolutions train, and run on integers") {
  train_and_convert<separable>();
}

struct but_depthwise : last_range::set<allow_float<"depthwise">> {};

TEST_CASE("a layer that stays in float is trained beside its batch norm, which is folded then") {
  using plan =
      plan<separable, x86, but_depthwise, unsupported::error, qat_plan_options<plan_options>>;
  const auto op_of = [](auto g, const char* name) { return g[find(g, name)].op; };
  CHECK(op_of(plan::prepared.view(), "depthwise") == nni::conv_bn_relu2d.id());
  CHECK(op_of(plan::prepared.view(), "stem") == nniqat::conv_bn_relu2d.id());
  CHECK(op_of(plan::lowered.view(), "stem") == q::conv_relu2d.id());
  train_and_convert<separable, but_depthwise>();
}

}  // namespace
