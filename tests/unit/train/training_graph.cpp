// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/training_graph.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <span>

#include "small_models.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

struct own_cube : module_op<own_cube> {
  static constexpr std::string_view name = "own.Cube";
  static float apply(float x) { return x * x * x; }
  static float gradient(float x) { return 3.0F * x * x; }
};
inline constexpr own_cube cube{};

/// An op of each gradient rule, without quantization.
inline constexpr auto net = model(
    "x"_n = nn::placeholder({1, 4, 6, 6}),
    "conv"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3, .padding = 1}),
    "bn"_n = nn::batch_norm2d("conv"_n), "act"_n = nn::hardswish("bn"_n),
    "max"_n = nn::max_pool2d("act"_n, {.kernel_size = 2}),
    "mean"_n = nn::avg_pool2d("act"_n, {.kernel_size = 2}), "sum"_n = op::add("max"_n, "mean"_n),
    "product"_n = op::mul("sum"_n, "mean"_n), "other"_n = op::sub("product"_n, "max"_n),
    "gate"_n = nn::adaptive_avg_pool2d("max"_n, {.output_size = 1}),
    "gated"_n = op::mul("other"_n, "gate"_n), "half"_n = op::mul(0.5F, "gated"_n),
    "cubed"_n = cube("half"_n), "cat"_n = fn::cat({"cubed"_n, "max"_n}, {.dim = 1}),
    "pool"_n = nn::adaptive_avg_pool2d("cat"_n, {.output_size = 1}),
    "drop"_n = nn::dropout("pool"_n, {.p = 0.5F}),
    "flat"_n = fn::flatten("drop"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 3}), "out"_n = nn::output("fc"_n));

struct nothing : qconfig_mapping<> {};
using in_float = plan<net, x86, nothing, unsupported::skip>;

training::training_graph<isa::native> graph_of(const weights& w, std::uint64_t seed = 1) {
  return {in_float::prepared.view(), in_float::mapping, w, semantics{}, seed};
}

double loss(std::span<const float> y) {
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    sum += static_cast<double>(y[i]) * (0.5 + static_cast<double>(i % 3));
  return sum;
}
std::vector<float> gradient_of_loss(std::size_t count) {
  std::vector<float> g(count);
  for (std::size_t i = 0; i < count; ++i) g[i] = 0.5F + static_cast<float>(i % 3);
  return g;
}

TEST_CASE("gradients of a model equal differences of its loss") {
  const weights w = small::uniform_weights<net>(3);
  auto graph = graph_of(w);
  graph.mode().training = false;  // neither random numbers nor moving statistics
  const std::vector<float> x = small::random_values(5 * 144, 4);
  const auto y = graph.forward(x);
  REQUIRE(y);
  REQUIRE(y->size() == 15);
  REQUIRE(graph.backward(gradient_of_loss(15)));
  auto parameters = graph.parameters();
  CHECK(parameters.size() == 6);
  CHECK(parameters[0].name == "conv.weight");
  CHECK(parameters[5].name == "fc.bias");
  for (const training::parameter_view& p : parameters) {
    CAPTURE(std::string(p.name));
    // The difference along the gradient is its squared length.
    double squared = 0;
    for (const float g : p.gradient) squared += static_cast<double>(g) * static_cast<double>(g);
    REQUIRE(squared > 0.0);
    const std::vector<float> kept(p.value.begin(), p.value.end());
    const std::vector<float> gradient(p.gradient.begin(), p.gradient.end());
    const double step = 2e-3 / std::sqrt(squared);
    const auto moved = [&](double by) {
      for (std::size_t i = 0; i < kept.size(); ++i)
        p.value[i] = kept[i] + static_cast<float>(by * static_cast<double>(gradient[i]));
      return loss(*graph.forward(x));
    };
    CHECK((moved(step) - moved(-step)) / (2 * step) == doctest::Approx(squared).epsilon(0.02));
    std::ranges::copy(kept, p.value.begin());
  }
}

TEST_CASE("gradients are added until they are set to zero") {
  const weights w = small::uniform_weights<net>(3);
  auto graph = graph_of(w);
  graph.mode().training = false;
  const std::vector<float> x = small::random_values(2 * 144, 4);
  REQUIRE(graph.forward(x));
  REQUIRE(graph.backward(gradient_of_loss(6)));
  const float once = graph.parameters()[5].gradient[0];
  REQUIRE(graph.backward(gradient_of_loss(6)));
  CHECK(graph.parameters()[5].gradient[0] == 2 * once);
  graph.zero_gradients();
  CHECK(graph.parameters()[5].gradient[0] == 0.0F);
}

TEST_CASE("a seed decides what dropout drops; in evaluation it drops nothing") {
  const weights w = small::uniform_weights<net>(3);
  auto graph = graph_of(w, 8), same = graph_of(w, 8), other = graph_of(w, 9);
  const std::vector<float> x = small::random_values(4 * 144, 4);
  const auto of = [&](auto& g) {
    const auto y = g.forward(x);
    return std::vector<float>(y->begin(), y->end());
  };
  const auto first = of(graph);
  CHECK(first == of(same));
  CHECK(first != of(other));
  CHECK(first != of(graph));
  graph.mode().training = false;
  CHECK(of(graph) == of(graph));
}

TEST_CASE("frozen batch norms leave their statistics") {
  const weights w = small::uniform_weights<net>(3);
  auto graph = graph_of(w);
  graph.mode().frozen_norms = true;
  REQUIRE(graph.forward(small::random_values(2 * 144, 4)));
  CHECK(graph.layer_of(1)->norm()->running_mean().value == w.find("bn.running_mean")->values);
  graph.mode().frozen_norms = false;
  REQUIRE(graph.forward(small::random_values(2 * 144, 4)));
  CHECK(graph.layer_of(1)->norm()->running_mean().value != w.find("bn.running_mean")->values);
}

TEST_CASE("data that does not fit is an error") {
  const weights w = small::uniform_weights<net>(3);
  auto graph = graph_of(w);
  CHECK(graph.backward(gradient_of_loss(3)).error().message() ==
        "backward: is for the output of the last forward");
  CHECK(graph.forward(small::random_values(145, 4)).error().message() ==
        "node x: 145 values, one sample has 144");
  CHECK_FALSE(graph.forward({}));
  REQUIRE(graph.forward(small::random_values(144, 4)));
  CHECK_FALSE(graph.backward(gradient_of_loss(4)));
}

}  // namespace
