// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/parameter_arguments.hpp"

#include <doctest/doctest.h>

#include "ctq/graph/model.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto net =
    model("x"_n = nn::placeholder({4, 4}), "weight"_n = nn::get_attr({4, 4}),
          "shared"_n = nn::get_attr({4, 4}), "linear"_n = fn::linear("x"_n, "weight"_n),
          "tied"_n = fn::linear("linear"_n, "shared"_n), "sum"_n = op::add("tied"_n, "shared"_n),
          "computed"_n = fn::relu("shared"_n), "last"_n = fn::linear("sum"_n, "computed"_n),
          "out"_n = nn::output("last"_n));

constexpr int at(std::string_view name) { return find(net.view(), name); }
constexpr int weight_of(std::string_view layer) {
  return parameter_of(net.nodes, net.args, at(layer), 1);
}
constexpr bool is_only_parameter_of(std::string_view name) {
  return is_only_parameter(net.nodes, net.args, net.count, at(name));
}

static_assert(weight_of("linear") == at("weight"));
static_assert(weight_of("tied") == at("shared"));
static_assert(weight_of("last") == -1);                                 // computed
static_assert(parameter_of(net.nodes, net.args, at("tied"), 2) == -1);  // no bias

static_assert(is_only_parameter_of("weight"));
static_assert(!is_only_parameter_of("shared"));  // an operand, too
static_assert(!is_only_parameter_of("x"));       // the input of a layer

}  // namespace

TEST_CASE("a parameter is found past its observer") {
  dynamic_graph<stage::prepared> g;
  const int x = g.add({.name = "x", .op = nn::placeholder.id()}, list<int>{});
  const int weight = g.add({.name = "weight", .op = nn::get_attr.id()}, list<int>{});
  const int observed = g.add({.name = "observed", .op = q::activation_post_process.id()}, weight);
  const int arguments[] = {x, observed};
  const int linear = g.add({.name = "linear", .op = fn::linear.id()}, arguments, 2);
  CHECK(parameter_of(g.nodes.data(), g.args.data(), linear, 1) == weight);
  CHECK(is_only_parameter(g.nodes.data(), g.args.data(), g.size(), weight));
  CHECK(is_only_parameter(g.nodes.data(), g.args.data(), g.size(), observed));
  CHECK(!is_only_parameter(g.nodes.data(), g.args.data(), g.size(), x));
}
