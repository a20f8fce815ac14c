// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/packing/graph_nodes.hpp"

#include <doctest/doctest.h>

#include "ctq/graph/model.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto net =
    model("x"_n = nn::placeholder({4, 4}), "weight"_n = nn::get_attr({4, 4}),
          "shared"_n = nn::get_attr({4, 4}), "linear"_n = fn::linear("x"_n, "weight"_n),
          "tied"_n = fn::linear("linear"_n, "shared"_n), "sum"_n = op::add("tied"_n, "shared"_n),
          "out"_n = nn::output("sum"_n));

}  // namespace

TEST_CASE("a graph knows the parameters of its functions, and which of them are operands") {
  const graph_nodes all = net;
  REQUIRE(all.nodes.size() == 7);
  CHECK(all.args.size() == 7);
  CHECK(all.parameter_of(all.nodes[3], 1) == &all.nodes[1]);
  CHECK(all.parameter_of(all.nodes[3], 2) == nullptr);
  CHECK(!all.is_constant(all.nodes[0]));
  CHECK(!all.is_constant(all.nodes[1]));
  CHECK(all.is_constant(all.nodes[2]));
}
