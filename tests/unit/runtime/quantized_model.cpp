// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/quantized_model.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "ctq/runtime/interpreter.hpp"
#include "ctq/runtime/observed_model.hpp"
#include "small_net.hpp"

namespace {

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
