// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/module_of.hpp"

#include <doctest/doctest.h>

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto inside =
    model("x"_n = nn::placeholder({1, 8}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
          "shift"_n = nn::get_attr({1, 4}), "sum"_n = op::add("fc"_n, "shift"_n),
          "again"_n = nn::relu("sum"_n), "out"_n = nn::output("again"_n));
constexpr module_of<"my.Block", inside> block{};

constexpr auto around = model("x"_n = nn::placeholder({1, 8}), "block"_n = block("x"_n),
                              "out"_n = nn::output("block"_n));
constexpr module_of<"my.Outer", around> outer{};

static_assert(!around.problem.any());
static_assert(around.nodes[1].shape == shape{1, 4});
static_assert(block.id()->name == "my.Block" && block.id()->kind == op_kind::module);

TEST_CASE("a module of modules owns their parameters, by the names of the state_dict") {
  const op_descriptor& d = *block.id()->descriptor;
  REQUIRE(d.inner_parameters == 3);
  CHECK(d.inner_parameter(0).name == "fc.weight");
  CHECK(d.inner_parameter(0).shape == shape{4, 8});
  CHECK(d.inner_parameter(1).name == "fc.bias");
  CHECK(d.inner_parameter(2).name == "shift");
  CHECK(d.inner_parameter(2).shape == shape{1, 4});
  const op_descriptor& o = *outer.id()->descriptor;
  REQUIRE(o.inner_parameters == 3);
  CHECK(o.inner_parameter(1).name == "block.fc.bias");
}

// A module that is called twice owns its parameters once.
constexpr auto twice =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
          "fc#2"_n = nn::linear("fc"_n, {.out_features = 4}), "out"_n = nn::output("fc#2"_n));
static_assert(nesting::parameters_in<twice>::count == 2);

// Calls that do not fit.
constexpr auto wide =
    model("x"_n = nn::placeholder({1, 9}), "b"_n = block("x"_n), "out"_n = nn::output("b"_n));
static_assert(wide.problem.message() == "node b:\nthe model inside has another input\nx: [1, 8]");
constexpr auto two = model("x"_n = nn::placeholder({1, 8}), "b"_n = block("x"_n, "x"_n),
                           "out"_n = nn::output("b"_n));
static_assert(two.problem.message() == "node b:\nthe model inside has fewer inputs");
constexpr auto pair = model("x"_n = nn::placeholder({1, 8}), "y"_n = nn::relu("x"_n),
                            "out"_n = nn::output("x"_n, "y"_n));
constexpr module_of<"my.Pair", pair> pair_of{};
constexpr auto with_pair =
    model("x"_n = nn::placeholder({1, 8}), "b"_n = pair_of("x"_n), "out"_n = nn::output("b"_n));
static_assert(with_pair.problem.message() == "node b:\nthe model inside has not one output");

}  // namespace
