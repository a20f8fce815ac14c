// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/quantized_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "ctq/backends/qconfigs.hpp"
#include "ctq/runtime/convert.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "small_net.hpp"

namespace {

namespace nn = ctq::nn;
namespace fn = ctq::fn;
namespace op = ctq::op;
using namespace ctq::literals;

/// Layers whose outputs go through one op more: a sum with what comes first or second, with and
/// without a relu, and functions of one number. A product is not among these ops.
inline constexpr auto joints =
    ctq::model("x"_n = nn::placeholder({1, 3, 7, 6}),
               "conv1"_n = nn::conv2d("x"_n, {.out_channels = 20, .kernel_size = 1}),
               "conv2"_n = nn::conv2d("conv1"_n, {.out_channels = 20, .kernel_size = 1}),
               "sum1"_n = op::add("conv1"_n, "conv2"_n), "relu2"_n = nn::relu("sum1"_n),
               "conv3"_n = nn::conv2d(
                   "relu2"_n, {.out_channels = 20, .kernel_size = 3, .padding = 1, .groups = 20}),
               "act3"_n = nn::hardswish("conv3"_n),
               "conv4"_n = nn::conv2d("act3"_n, {.out_channels = 20, .kernel_size = 1}),
               "sum2"_n = op::add("conv4"_n, "relu2"_n), "gate"_n = op::mul("sum2"_n, "act3"_n),
               "relu4"_n = nn::relu("gate"_n), "flat"_n = fn::flatten("relu4"_n, {.start_dim = 1}),
               "fc"_n = nn::linear("flat"_n, {.out_features = 9}), "act"_n = nn::leaky_relu("fc"_n),
               "out"_n = nn::output("act"_n));

/// Operands that are no tensor of the same shape: a factor for each channel, and numbers; and
/// clamps behind a layer and behind a sum that is fused into one.
inline constexpr auto operands = ctq::model(
    "x"_n = nn::placeholder({1, 3, 7, 6}),
    "conv1"_n = nn::conv2d("x"_n, {.out_channels = 20, .kernel_size = 1}),
    "act1"_n = nn::hardtanh("conv1"_n, {.min_val = 0.0F, .max_val = 0.75F}),
    "conv2"_n = nn::conv2d("act1"_n, {.out_channels = 20, .kernel_size = 1}),
    "half"_n = op::mul("conv2"_n, 0.5F), "pool"_n = nn::adaptive_avg_pool2d("half"_n, {1}),
    "gate"_n = nn::leaky_relu("pool"_n), "scaled"_n = op::mul("gate"_n, "half"_n),
    "conv3"_n = nn::conv2d("scaled"_n, {.out_channels = 20, .kernel_size = 1}),
    "sum"_n = op::add("conv3"_n, "act1"_n),
    "act3"_n = fn::clamp("sum"_n, {.min = 0.125F, .max = 0.5F}), "shift"_n = op::add(1, "act3"_n),
    "out"_n = nn::output("shift"_n));

struct dynamic : ctq::qconfig_mapping<ctq::global<ctq::per_channel_dynamic_qconfig>> {};

/// A sum that is fused into no layer.
inline constexpr auto sum =
    ctq::model("x"_n = nn::placeholder({1, 5, 6, 7}),
               "mean"_n = nn::avg_pool2d("x"_n, {.kernel_size = 3, .stride = 1, .padding = 1}),
               "sum"_n = op::add("mean"_n, "x"_n), "relu"_n = nn::relu("sum"_n),
               "out"_n = nn::output("relu"_n));

/// One module that is called twice, and two of them.
inline constexpr auto called_twice =
    ctq::model("x"_n = nn::placeholder({2, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
               "relu"_n = nn::relu("fc"_n), "fc#2"_n = nn::linear("relu"_n, {.out_features = 4}),
               "out"_n = nn::output("fc#2"_n));
inline constexpr auto two_modules =
    ctq::model("x"_n = nn::placeholder({2, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
               "relu"_n = nn::relu("fc"_n), "other"_n = nn::linear("relu"_n, {.out_features = 4}),
               "out"_n = nn::output("other"_n));

template <const auto& Model>
ctq::tensor<float, 2, 4> output_of(const std::vector<ctq::weight_tensor>& tensors) {
  const auto weights = ctq::model_weights<Model>::check(ctq::weights{tensors});
  REQUIRE(weights);
  auto observed = ctq::prepare<Model, ctq::x86, small::int8>(*weights);
  const ctq::tensor<float, 2, 4> x{{-1.0F, 0.5F, 2.0F, -0.25F, 0.75F, 1.5F, -2.0F, 0.125F}};
  observed(x);
  auto model = ctq::convert(observed);
  REQUIRE(model);
  return (*model)(x);
}

/// How many of `rounds` random inputs give other bytes than the scalar interpreter.
template <const auto& Model, class Mapping>
int differences(int rounds) {
  std::mt19937 random{7};
  const auto weights = small::checked_weights<Model>(11);
  auto observed = ctq::prepare<Model, ctq::x86, Mapping>(weights);
  using observed_type = decltype(observed);
  typename ctq::io_types<observed_type::plan::int8_schedule>::input x;
  for (int i = 0; i < 4; ++i) {
    small::fill(x, random);
    observed(x);
  }
  const auto int8 = ctq::convert(observed);
  REQUIRE(int8);
  using plan = typename observed_type::plan;
  auto oracle = ctq::interpreter<ctq::reference_kernels>::make(
      plan::lowered.view(), weights.get(), int8->qparams(), plan::backend, plan::mapping);
  REQUIRE(oracle);
  ctq::session session{*int8};
  typename ctq::io_types<plan::int8_schedule>::output ours;
  typename ctq::io_types<plan::int8_schedule>::output expected;
  int different = 0;
  for (int i = 0; i < rounds; ++i) {
    small::fill(x, random);
    session(x, ours);
    oracle->run(x.data(), expected.data());
    different += ours.values != expected.values ? 1 : 0;
  }
  return different;
}

}  // namespace

TEST_CASE("linear layers give the bytes of the interpreter") {
  CHECK(differences<small::mlp, small::int8>(200) == 0);
  CHECK(differences<small::mlp, small::per_tensor>(200) == 0);
}

TEST_CASE("layers whose input is quantized as it comes give the bytes of the interpreter") {
  CHECK(differences<small::mlp, dynamic>(50) == 0);
}

TEST_CASE("every kind of step gives the bytes of the interpreter") {
  CHECK(differences<small::net, small::int8>(200) == 0);
}

TEST_CASE("broadcast operands, numbers and clamps give the bytes of the interpreter") {
  CHECK(differences<operands, small::int8>(50) == 0);
}

TEST_CASE("layers with an op fused into them give the bytes of the interpreter") {
  using plan = ctq::plan<joints, ctq::x86, small::int8>;
  std::string fused;
  for (int i = 0; i < plan::int8_schedule.count; ++i)
    if (const ctq::kernel_signature& signature = plan::int8_schedule.steps[i].signature;
        signature.then != ctq::fused_op::nothing)
      fused.append(name_of(signature.kernel))
          .append("+")
          .append(name_of(signature.then))
          .append(" ");
  CHECK(fused == "conv2d+add_relu conv2d+table conv2d+add linear+table ");
  CHECK(differences<joints, small::int8>(100) == 0);
}

TEST_CASE("sums are exact, or each at most one step away and the same on all instruction sets") {
  std::mt19937 random{5};
  const auto weights = small::checked_weights<sum>(1);
  auto observed = ctq::prepare<sum, ctq::x86, small::int8>(weights);
  using plan = ctq::plan_within_one_step<decltype(observed)::plan>;
  ctq::tensor<float, 1, 5, 6, 7> x, exact, cheaper, portable;
  small::fill(x, random);
  observed(x);
  const auto exact_model = ctq::convert(observed);
  const auto model = ctq::convert(observed, ctq::add_within_one_step);
  REQUIRE(exact_model);
  REQUIRE(model);
  const std::vector<ctq::qparams> q(model->qparams().begin(), model->qparams().end());
  const auto scalar =
      ctq::quantized_model<plan, ctq::isa::scalar>::make(small::state_of<plan>(weights.get(), q));
  REQUIRE(scalar);
  ctq::session run_exact{*exact_model};
  ctq::session run{*model};
  ctq::session run_portable{*scalar};
  const auto& adds =
      *std::ranges::find(plan::int8_schedule.steps, ctq::kernel::binary_add_within_one_step,
                         [](const ctq::step& s) { return s.signature.kernel; });
  const float step = q[static_cast<std::size_t>(adds.out_observer)].scale;
  int different = 0;
  for (int i = 0; i < 20; ++i) {
    small::fill(x, random);
    run_exact(x, exact);
    run(x, cheaper);
    run_portable(x, portable);
    CHECK(cheaper.values == portable.values);
    for (std::size_t k = 0; k < exact.size; ++k) {
      const float steps = std::abs(cheaper[k] - exact[k]) / step;
      CHECK(steps < 1.01F);
      different += steps > 0.5F ? 1 : 0;
    }
  }
  CHECK(different > 0);
}

TEST_CASE("one model serves many threads, each with its own arena") {
  std::mt19937 random{3};
  auto observed =
      ctq::prepare<small::mlp, ctq::x86, small::int8>(small::checked_weights<small::mlp>(1));
  ctq::tensor<float, 3, 21> x;
  small::fill(x, random);
  observed(x);
  const auto int8 = ctq::convert(observed);
  REQUIRE(int8);
  std::array<ctq::tensor<float, 3, 5>, 4> y;
  std::vector<std::thread> threads;
  for (auto& out : y)
    threads.emplace_back([&] {
      ctq::session session{*int8};
      for (int i = 0; i < 100; ++i) session(x, out);
    });
  for (std::thread& t : threads) t.join();
  for (const auto& out : y) CHECK(out.values == y[0].values);
}

TEST_CASE("a module that is called twice has its weights in both calls") {
  std::vector<float> weight;
  for (int i = 0; i < 16; ++i) weight.push_back(static_cast<float>(i * 5 % 16 - 8) / 16.0F);
  const std::vector<float> bias{0.5F, -0.25F, 0.0F, 1.0F};
  std::vector<ctq::weight_tensor> tensors{{"fc.weight", {4, 4}, weight}, {"fc.bias", {4}, bias}};
  const auto twice = output_of<called_twice>(tensors);
  tensors.push_back({"other.weight", {4, 4}, weight});
  tensors.push_back({"other.bias", {4}, bias});
  const auto apart = output_of<two_modules>(tensors);
  CHECK(std::equal(twice.begin(), twice.end(), apart.begin()));
  CHECK(std::any_of(twice.begin(), twice.end(), [](float x) { return x != 0.0F; }));
}
