// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/float_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "../death.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "small_net.hpp"

TEST_CASE("fusing keeps the float output within rounding") {
  std::mt19937 random{9};
  const auto weights = small::checked_weights<small::net>(4);
  ctq::float_model<small::net, ctq::x86> fused{weights};
  auto as_written =
      ctq::interpreter<ctq::reference_kernels>::make(small::net.view(), weights.get());
  REQUIRE(as_written);
  ctq::tensor<float, 1, 3, 9, 11> x;
  ctq::tensor<float, 1, 7> y;
  ctq::tensor<float, 1, 7> expected;
  for (int i = 0; i < 20; ++i) {
    small::fill(x, random);
    fused(x, y);
    CHECK(fused(x).values == y.values);
    as_written->run(x.data(), expected.data());
    for (std::size_t k = 0; k < y.size; ++k)
      CHECK(y[k] == doctest::Approx(expected[k]).epsilon(1e-4));
  }
}

TEST_CASE("a verbose run writes a line a step") {
  ctq::float_model<small::mlp, ctq::x86> model{small::checked_weights<small::mlp>(4)};
  const auto run = [&] { model(ctq::tensor<float, 3, 21>{}); };
  ctq::verbose::state.store(1);
  const std::string lines = death_of(run).said;
  ctq::verbose::state.store(0);
  CHECK(death_of(run).said.empty());
  constexpr auto& schedule = ctq::fused_schedule_v<small::mlp, ctq::x86>;
  CHECK(std::ranges::count(lines, '\n') == schedule.count);
  CHECK(lines.find(",linear+relu,float32:float32,3x21:3x17,") != std::string::npos);
}

TEST_CASE("a model that was moved from aborts with words") {
  ctq::float_model<small::mlp, ctq::x86> model{small::checked_weights<small::mlp>(4)};
  ctq::float_model<small::mlp, ctq::x86> other = std::move(model);
  other(ctq::tensor<float, 3, 21>{});
  const death d = death_of([&] { model(ctq::tensor<float, 3, 21>{}); });  // NOLINT
  CHECK(d.signal == SIGABRT);
  CHECK(d.said.find("this float_model was moved from") != std::string::npos);
}
