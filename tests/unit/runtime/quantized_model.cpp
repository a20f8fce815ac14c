// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/quantized_model.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "ctq/runtime/interpreter.hpp"
#include "ctq/runtime/observed_model.hpp"
#include "small_net.hpp"

namespace {

namespace nn = ctq::nn;
namespace fn = ctq::fn;
namespace op = ctq::op;
using namespace ctq::literals;

/// Layers whose outputs go through one op more: a sum with what comes first or second, with and
/// without a relu, and functions of one number.
inline constexpr auto joints = ctq::model(
    "x"_n = nn::placeholder({1, 3, 7, 6}),
    "conv1"_n = nn::conv2d("x"_n, {.out_channels = 20, .kernel_size = 1}),
    "conv2"_n = nn::conv2d("conv1"_n, {.out_channels = 20, .kernel_size = 1}),
    "sum1"_n = op::add("conv1"_n, "conv2"_n), "relu2"_n = nn::relu("sum1"_n),
    "conv3"_n =
        nn::conv2d("relu2"_n, {.out_channels = 20, .kernel_size = 3, .padding = 1, .groups = 20}),
    "act3"_n = nn::hardswish("conv3"_n),
    "conv4"_n = nn::conv2d("act3"_n, {.out_channels = 20, .kernel_size = 1}),
    "sum2"_n = op::add("conv4"_n, "relu2"_n), "flat"_n = fn::flatten("sum2"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 9}), "act"_n = nn::leaky_relu("fc"_n),
    "out"_n = nn::output("act"_n));

/// How many of `rounds` random inputs give other bytes than the scalar interpreter.
template <const auto& Model, class Mapping>
int differences(int rounds) {
  std::mt19937 random{7};
  const auto weights = small::checked_weights<Model>(11);
  auto observed = ctq::prepare<Model, ctq::x86, Mapping>(weights);
  using observed_type = decltype(observed);
  typename ctq::doors<observed_type::plan::int8_schedule>::input x;
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
  typename ctq::doors<plan::int8_schedule>::output ours;
  typename ctq::doors<plan::int8_schedule>::output expected;
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

TEST_CASE("every kind of step gives the bytes of the interpreter") {
  CHECK(differences<small::net, small::int8>(200) == 0);
}

TEST_CASE("layers with an op joined to them give the bytes of the interpreter") {
  using plan = ctq::plan<joints, ctq::x86, small::int8>;
  std::string joined;
  for (int i = 0; i < plan::int8_schedule.count; ++i)
    if (const ctq::kernel_signature& key = plan::int8_schedule.steps[i].key;
        key.then != ctq::joined::nothing)
      joined.append(name_of(key.op)).append("+").append(name_of(key.then)).append(" ");
  CHECK(joined == "conv2d+add_relu conv2d+table conv2d+add linear+table ");
  CHECK(differences<joints, small::int8>(100) == 0);
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
