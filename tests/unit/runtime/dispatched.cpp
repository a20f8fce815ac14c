// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/dispatched.hpp"

#include <doctest/doctest.h>

#include <concepts>
#include <cstdlib>
#include <string>

#include "ctq/runtime/convert.hpp"
#include "small_net.hpp"

using namespace ctq;

using plan_of_mlp = plan<small::mlp, x86, small::int8>;
template struct ctq::dispatched<plan_of_mlp>;

TEST_CASE("one translation unit gives the code of the instruction set it is compiled for") {
  const auto codes = dispatched_codes<plan_of_mlp>();
  REQUIRE(codes.size() == 1);
  CHECK(codes[0]->isa == isa::native::name);
}

TEST_CASE("a dispatched model gives the bytes of the model that convert gives") {
  std::mt19937 random{9};
  auto observed = prepare<small::mlp, x86, small::int8>(small::checked_weights<small::mlp>(2));
  tensor<float, 3, 21> x;
  small::fill(x, random);
  observed(x);
  const auto direct = convert(observed);
  const auto dispatched = convert(observed, dispatch);
  REQUIRE(direct);
  REQUIRE(dispatched);
  CHECK(dispatched->isa() == isa::native::name);
  CHECK(dispatched->weight_bytes() == direct->weight_bytes());
  CHECK(dispatched->arena_bytes() == direct->arena_bytes);
  session one{*direct};
  session other{*dispatched};
  tensor<float, 3, 5> expected, y;
  for (int i = 0; i < 20; ++i) {
    small::fill(x, random);
    one(x, expected);
    other(x, y);
    CHECK(y.values == expected.values);
  }
}

TEST_CASE("another choice of sums is another plan, with code of its own") {
  auto observed = prepare<small::mlp, x86, small::int8>(small::checked_weights<small::mlp>(2));
  observed(tensor<float, 3, 21>{});
  const auto model = convert(observed, add_within_one_step, dispatch);
  REQUIRE(model);
  CHECK(std::same_as<decltype(model)::value_type::plan, plan_within_one_step<plan_of_mlp>>);
}

TEST_CASE("CTQ_ISA names the code, unless the caller does") {
  const auto state = small::state_of<plan_of_mlp>(
      small::random_weights<small::mlp>(2),
      std::vector<qparams>(static_cast<std::size_t>(plan_of_mlp::prepared.observers),
                           {0.05F, 120, 0, 255}));
  ::setenv("CTQ_ISA", "avx1024", 1);
  const auto wrong = dispatched_model<plan_of_mlp>::make(state);
  const auto named = dispatched_model<plan_of_mlp>::make(state, isa::native::name);
  ::unsetenv("CTQ_ISA");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().place == "CTQ_ISA");
  CHECK(wrong.error().cause.find(std::string{isa::native::name}) != std::string::npos);
  CHECK(named);
  CHECK(dispatched_model<plan_of_mlp>::make(state));
}
