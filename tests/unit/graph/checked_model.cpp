// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/checked_model.hpp"

#include <doctest/doctest.h>

#include "ctq/graph/model.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto net = model("x"_n = nn::placeholder({1, 4}), "out"_n = nn::output("x"_n));
constexpr auto misspelt = model("x"_n = nn::placeholder({1, 4}), "out"_n = nn::output("y"_n));
auto variable = net;
const auto layer = nn::relu();

static_assert(constant_model<net> && constant_model<misspelt>);
static_assert(!constant_model<variable> && !constant_model<layer>);

TEST_CASE("an argument that is no constant, or no model, is told from a model with an error") {
  CHECK(!model_check<net>::bad());
  CHECK(model_check<misspelt>::find().message() == misspelt.problem.message());
  CHECK(model_check<variable>::find().message() ==
        "the model is not a constant: write\ninline constexpr auto net =\nctq::model(...)");
  CHECK(model_check<layer>::find().message() ==
        "not a model, but given as one: write\ninline constexpr auto net =\nctq::model(...)");
  CHECK(variable.count == net.count);
}

}  // namespace
