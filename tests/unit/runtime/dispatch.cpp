// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/dispatch.hpp"

#include <doctest/doctest.h>

#include <array>

#include "small_net.hpp"

using namespace ctq;

namespace {

constexpr dispatched_code fast{"avx2", 0, nullptr, nullptr};
constexpr dispatched_code slow{"scalar", 0, nullptr, nullptr};
constexpr std::array codes{&fast, &slow};

}  // namespace

// Nobody compiles the code of this plan.
// Compiled alone: with dispatched.hpp, which other tests include, this unit would.
struct no_code : small::per_tensor {};
using plan_without_code = plan<small::mlp, x86, no_code>;

TEST_CASE("without a request the fastest code is chosen") {
  REQUIRE(choose(codes, ""));
  CHECK(*choose(codes, "") == &fast);
}

TEST_CASE("code can be chosen by name") {
  CHECK(*choose(codes, "avx2") == &fast);
  CHECK(*choose(codes, "scalar") == &slow);
}

TEST_CASE("a name without code is an error that says what there is") {
  const auto chosen = choose(codes, "avx512", "CTQ_ISA");
  REQUIRE_FALSE(chosen);
  CHECK(chosen.error().message() ==
        "CTQ_ISA: \"avx512\" is no instruction set that this program has code for and this machine "
        "runs; these are: avx2, scalar");
}

TEST_CASE("a program without any code of a plan says so when it makes the model") {
  CHECK(dispatched_codes<plan_without_code>().empty());
  const auto model = dispatched_model<plan_without_code>::make({});
  REQUIRE_FALSE(model);
  CHECK(model.error().place == "ctq::dispatched");
}
