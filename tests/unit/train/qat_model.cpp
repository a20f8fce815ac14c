// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/qat_model.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ctq/train/losses.hpp"
#include "ctq/train/optimizers.hpp"
#include "death.hpp"
#include "small_models.hpp"
#include "torch_train_step.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

// That of tests/golden/torch_train_step.py.
inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 3, 12, 12}),
          "conv1"_n =
              nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 3, .padding = 1, .bias = false}),
          "bn1"_n = nn::batch_norm2d("conv1"_n), "relu1"_n = nn::relu("bn1"_n),
          "pool1"_n = nn::max_pool2d("relu1"_n, {.kernel_size = 2}),
          "conv2"_n = nn::conv2d("pool1"_n, {.out_channels = 8, .kernel_size = 3, .padding = 1}),
          "bn2"_n = nn::batch_norm2d("conv2"_n), "add"_n = op::add("bn2"_n, "pool1"_n),
          "relu2"_n = nn::relu("add"_n),
          "depthwise"_n = nn::conv2d("relu2"_n, {.out_channels = 8,
                                                 .kernel_size = 3,
                                                 .stride = 2,
                                                 .padding = 1,
                                                 .groups = 8,
                                                 .bias = false}),
          "bn3"_n = nn::batch_norm2d("depthwise"_n), "relu6"_n = nn::relu6("bn3"_n),
          "pointwise"_n = nn::conv2d("relu6"_n, {.out_channels = 4, .kernel_size = 1}),
          "hardswish"_n = nn::hardswish("pointwise"_n),
          "cat"_n = fn::cat({"relu6"_n, "hardswish"_n}, {.dim = 1}),
          "pool2"_n = nn::adaptive_avg_pool2d("cat"_n, {.output_size = 1}),
          "flatten"_n = fn::flatten("pool2"_n, {.start_dim = 1}),
          "fc1"_n = nn::linear("flatten"_n, {.out_features = 8}), "relu3"_n = nn::relu("fc1"_n),
          "fc2"_n = nn::linear("relu3"_n, {.out_features = 5}), "output"_n = nn::output("fc2"_n));

struct fake_quantized
    : qconfig_mapping<
          global<qconfig<fake_quantize<moving_average_min_max_observer<{.dtype = quint8}>>,
                         fake_quantize<moving_average_per_channel_min_max_observer<{
                             .dtype = qint8, .quant_min = -127, .quant_max = 127}>>>>> {};

model_weights<net> torch_weights() {
  std::vector<weight_tensor> all;
  const auto g = net.view();
  for (int i = 0; i < g.size(); ++i)
    for (const parameter& p : parameters_of(g[i]))
      for (const torch_step::named_values& v : torch_step::weights)
        if (v.name == p.name) all.push_back({p.name, p.shape, {v.values.begin(), v.values.end()}});
  return model_weights<net>::check(weights{std::move(all)}).value_or_exit();
}

std::vector<int> torch_labels() {
  std::vector<int> labels;
  for (const float l : torch_step::batch[1].values) labels.push_back(static_cast<int>(l));
  return labels;
}

/// Within 1e-5 of the largest value, or of 1.
void near(std::span<const float> found, std::span<const float> expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(found[i] - expected[i]) <= 1e-5F * std::max(1.0F, std::fabs(expected[i])));
  }
}

template <class Values>
std::span<const float> values_of(const Values& table, std::string_view name) {
  for (const torch_step::named_values& v : table)
    if (v.name == name) return v.values;
  FAIL("PyTorch has no ", std::string(name));
  return {};
}

using trained = decltype(prepare_qat<net, x86, fake_quantized>(torch_weights()));

/// Of the first backward.
void compare_gradients(trained& model) {
  const auto parameters = model.parameters();
  CHECK(parameters.size() == std::size(torch_step::gradients));
  for (const training::parameter_view& p : parameters) {
    CAPTURE(std::string(p.name));
    near(p.gradient, values_of(torch_step::gradients, p.name));
  }
}

/// After the first forward.
void compare_running_statistics(trained& model) {
  const weights w = model.float_weights();
  for (const torch_step::named_values& v : torch_step::running) {
    CAPTURE(std::string(v.name));
    near(w.find(v.name)->values, v.values);
  }
}

/// The qparams with which the first forward has rounded.
void compare_fake_quantizes(trained& model) {
  auto& graph = model.graph();
  std::size_t compared = 0;
  const auto compare = [&](const std::string& name, const observers::any_fake_quantize& f) {
    CAPTURE(name);
    const auto& p = f.get_if<observers::observing_fake_quantize>()->parameters();
    near(p.scale, values_of(torch_step::scales, name));
    near(std::vector<float>(p.zero_point.begin(), p.zero_point.end()),
         values_of(torch_step::zero_points, name));
    ++compared;
  };
  for (int i = 0; i < graph.graph().size(); ++i) {
    const node& n = graph.graph()[i];
    if (is_any_of(n.op, q::activation_post_process)) {
      compare("activation_post_process_" + std::to_string(n.number),
              *graph.fake_quantizes()[static_cast<std::size_t>(n.observer)]);
    } else if (auto* const l = graph.layer_of(i)) {
      compare(std::string(n.name) + ".weight_fake_quant", *l->fake_quantize());
    }
  }
  CHECK(compared == std::size(torch_step::scales));
}

TEST_CASE("a step of training equals PyTorch's") {
  auto model =
      prepare_qat<net, x86, fake_quantized>(torch_weights(), {.semantics = semantics::torch_1_13});
  sgd optimizer({.learning_rate = 0.05F, .momentum = 0.9F, .weight_decay = 0.01F});
  const std::vector<int> labels = torch_labels();
  for (std::size_t step = 0; step < 2; ++step) {
    CAPTURE(step);
    const auto logits = model.forward(torch_step::batch[0].values);
    REQUIRE(logits);
    const auto loss = cross_entropy(*logits, labels);
    REQUIRE(loss);
    CHECK(std::fabs(loss->loss - static_cast<double>(torch_step::losses[0].values[step])) <= 1e-5);
    model.zero_gradients();
    REQUIRE(model.backward(loss->gradient));
    if (step == 0) {
      compare_gradients(model);
      compare_running_statistics(model);
      compare_fake_quantizes(model);
    }
    optimizer.step(model.parameters());
  }
  for (const training::parameter_view& p : model.parameters()) {
    CAPTURE(std::string(p.name));
    near(p.value, values_of(torch_step::stepped, p.name));
  }
}

TEST_CASE("the converted model computes what the model in training computes") {
  auto model = prepare_qat<net, x86, fake_quantized>(torch_weights());
  const std::span<const float> images = torch_step::batch[0].values;
  for (int step = 0; step < 3; ++step) REQUIRE(model.forward(images));
  model.eval();
  model.disable_observer();
  const auto simulated = model.forward(images).value_or_exit();
  const auto int8 = convert(model).value_or_exit();
  session run{int8};
  for (std::size_t i = 0; i < 4; ++i) {
    tensor<float, 1, 3, 12, 12> image;
    std::ranges::copy(images.subspan(i * 432, 432), image.values.begin());
    const auto y = run(image);
    for (std::size_t c = 0; c < 5; ++c) {
      CAPTURE(i);
      // A few steps of the output: sums of integers round once where fake quantizes round twice.
      CHECK(std::fabs(y.values[c] - simulated[i * 5 + c]) <= 0.03F);
    }
  }
}

TEST_CASE("training makes the loss smaller, without fake quantizes, too") {
  for (const bool rounds : {true, false}) {
    auto model = prepare_qat<net, x86, fake_quantized>(torch_weights());
    model.enable_fake_quant(rounds);
    adam optimizer({.learning_rate = 0.01F});
    const std::vector<int> labels = torch_labels();
    double first = 0, last = 0;
    for (int step = 0; step < 20; ++step) {
      const auto logits = model.forward(torch_step::batch[0].values).value_or_exit();
      const auto loss = cross_entropy(logits, labels).value_or_exit();
      (step == 0 ? first : last) = loss.loss;
      model.zero_gradients();
      REQUIRE(model.backward(loss.gradient));
      optimizer.step(model.parameters());
    }
    CHECK(last < 0.8 * first);
  }
}

inline constexpr auto tiny =
    ctq::model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 2}),
               "out"_n = nn::output("fc"_n));

struct learnable
    : qconfig_mapping<
          global<qconfig<learnable_fake_quantize<moving_average_min_max_observer<{
                             .dtype = quint8, .quant_min = 0, .quant_max = 255}>>,
                         learnable_fake_quantize<moving_average_per_channel_min_max_observer<{
                             .dtype = qint8, .quant_min = -7, .quant_max = 7}>>>>> {};

TEST_CASE("scales and zero points that are learned are parameters, and are converted") {
  auto model = prepare_qat<tiny, x86, learnable>(
      model_weights<tiny>::check(small::uniform_weights<tiny>(1)).value_or_exit());
  CHECK(convert(model).error().message() ==
        "node x: its observer has seen no data: calibrate first");
  const std::vector<float> x = small::random_values(8 * 4, 2);
  const std::vector<float> target = small::random_values(8 * 2, 3);
  REQUIRE(model.forward(x));
  CHECK(model.parameters().size() == 2);
  model.enable_param_learning();
  const auto parameters = model.parameters();
  REQUIRE(parameters.size() == 8);
  CHECK(parameters[2].name == "activation_post_process_0.scale");
  sgd optimizer({.learning_rate = 0.01F});
  double first = 0, last = 0;
  const float scale = parameters[2].value[0];
  for (int step = 0; step < 50; ++step) {
    const auto y = model.forward(x).value_or_exit();
    const auto loss = mean_squared_error(y, target).value_or_exit();
    (step == 0 ? first : last) = loss.loss;
    model.zero_gradients();
    REQUIRE(model.backward(loss.gradient));
    optimizer.step(model.parameters());
  }
  CHECK(last < first);
  CHECK(model.parameters()[2].value[0] != scale);
  const auto int8 = convert(model).value_or_exit();
  session run{int8};
  const auto simulated = model.forward(x).value_or_exit();
  tensor<float, 1, 4> in;
  std::ranges::copy(std::span(x).first(4), in.values.begin());
  const auto y = run(in);
  for (std::size_t c = 0; c < 2; ++c) CHECK(std::fabs(y.values[c] - simulated[c]) <= 0.05F);
}

TEST_CASE("without rounding the gradient passes outside of the range, too") {
  auto model = prepare_qat<tiny, x86, fake_quantized>(
      model_weights<tiny>::check(small::uniform_weights<tiny>(1)).value_or_exit());
  const std::vector<float> x{0.5F, -0.5F, 0.25F, 0.5F};
  REQUIRE(model.forward(x));
  model.disable_observer();
  for (const training::parameter_view& p : model.parameters())
    if (p.name == "fc.bias") p.value[0] = 100.0F;
  const auto gradient_of_bias = [&] {
    model.zero_gradients();
    REQUIRE(model.forward(x));
    REQUIRE(model.backward(std::vector<float>{1.0F, 2.0F}));
    for (const training::parameter_view& p : model.parameters())
      if (p.name == "fc.bias") return std::vector<float>(p.gradient.begin(), p.gradient.end());
    return std::vector<float>{};
  };
  CHECK(gradient_of_bias() == std::vector<float>{0.0F, 2.0F});  // the first output is clamped
  model.disable_fake_quant();
  CHECK(gradient_of_bias() == std::vector<float>{1.0F, 2.0F});
}

constexpr int first_of_all[] = {0};
struct quantized_ends : plan_options {
  static constexpr auto semantics = ctq::semantics::torch_1_13;
  static constexpr prepare_custom_config prepare{.input_quantized_indexes = {first_of_all, 1},
                                                 .output_quantized_indexes = {first_of_all, 1}};
};

TEST_CASE("a model that takes and gives integers is trained in float") {
  auto model =
      prepare_qat<tiny, x86, learnable, unsupported::error, isa::of_models, quantized_ends>(
          model_weights<tiny>::check(small::uniform_weights<tiny>(1)).value_or_exit());
  CHECK(model.graph().semantics() == semantics::torch_1_13);
  const std::vector<float> x{-0.5F, 0.25F, 0.75F, -0.25F};  // steps of 1/64
  model.eval();
  const auto simulated = model.forward(x).value_or_exit();
  CHECK(convert(model).error().message() ==
        "input x: is quantized: give convert its scale and zero point as input_qparams");
  const auto int8 = convert(model, input_qparams{{{0.015625F, 128}}}).value_or_exit();
  tensor<std::uint8_t, 1, 4> in{{96, 144, 176, 112}};
  const auto y = int8(in);
  const qparams q = int8.output_qparams();
  for (std::size_t c = 0; c < 2; ++c)
    CHECK(std::fabs(static_cast<float>(y[c] - q.zero_point) * q.scale - simulated[c]) <= q.scale);
}

TEST_CASE("evaluation keeps the running statistics; seeds give the same training") {
  auto model = prepare_qat<net, x86, fake_quantized>(torch_weights());
  const auto running_mean = [&] {
    const weights w = model.float_weights();
    return w.find("bn1.running_mean")->values;
  };
  const std::vector<float> before = running_mean();
  model.eval();
  REQUIRE(model.forward(torch_step::batch[0].values));
  CHECK(running_mean() == before);
  model.train();
  model.freeze_batch_norm();
  REQUIRE(model.forward(torch_step::batch[0].values));
  CHECK(running_mean() == before);
}

TEST_CASE("a model that was moved from aborts with words") {
  auto model = prepare_qat<net, x86, fake_quantized>(torch_weights());
  auto other = std::move(model);
  CHECK(other.forward(torch_step::batch[0].values));
  const auto aborts = [](const auto& use) {
    const death d = death_of(use);
    return d.signal == SIGABRT && d.said.find("this qat_model was moved from") != std::string::npos;
  };
  // NOLINTBEGIN(bugprone-use-after-move)
  CHECK(aborts([&] { static_cast<void>(model.forward(torch_step::batch[0].values)); }));
  CHECK(aborts([&] { static_cast<void>(model.backward({})); }));
  CHECK(aborts([&] { static_cast<void>(model.parameters()); }));
  CHECK(aborts([&] { static_cast<void>(convert(model)); }));
  // NOLINTEND(bugprone-use-after-move)
}

// Training has the graph of prepare_qat_fx, whether the options say so or not; PyTorch's convert
// makes of it the graph that calibration has.
struct in_words : plan_options {
  static constexpr bool is_qat = true;
};
using in_training = plan<net, x86, fake_quantized, unsupported::error, in_words>;
using calibrated = plan<net, x86, fake_quantized>;
static_assert(std::is_same_v<decltype(prepare_qat<net, x86, fake_quantized, unsupported::error,
                                                  isa::of_models, in_words>(torch_weights())),
                             qat_model<net, in_training>>);

TEST_CASE("a plan with is_qat has the modules of training, and the steps of calibration") {
  const auto trained_op = [](std::string_view name) {
    const auto g = trained::plan::prepared.view();
    return g[find(g, name)].op;
  };
  CHECK(trained_op("conv1") == nniqat::conv_bn_relu2d.id());
  CHECK(trained_op("conv2") == nniqat::conv_bn2d.id());
  CHECK(trained_op("fc1") == nniqat::linear_relu.id());
  CHECK(trained_op("fc2") == nnqat::linear.id());
  const auto& steps = in_training::int8_schedule;
  REQUIRE(steps.count == calibrated::int8_schedule.count);
  for (int i = 0; i < steps.count; ++i)
    CHECK(steps.steps[i].signature == calibrated::int8_schedule.steps[i].signature);
  CHECK(in_training::observed_schedule.count == calibrated::observed_schedule.count);
}

// What cannot be trained, found while compiling.
struct observers_alone
    : qconfig_mapping<global<
          qconfig<min_max_observer<{.dtype = quint8}>,
                  min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}>>>> {
};
static_assert(training::trainable_check<plan<tiny, x86, observers_alone>>::found.message() ==
              "no fake quantize for the output of\nnode: x\na QConfig for training has them:\n"
              "default_qat_qconfig_mapping,\nfake_quantize<...>");
static_assert(!training::trainable_check<plan<tiny, x86, learnable>>::bad());
constexpr auto two_outputs =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
          "out"_n = nn::output("fc"_n, "x"_n));
static_assert(training::trainable_check<plan<two_outputs, x86, learnable>>::found.message() ==
              "training has one input and one\noutput");

}  // namespace
