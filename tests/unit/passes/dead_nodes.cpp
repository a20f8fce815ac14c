// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/dead_nodes.hpp"

#include <doctest/doctest.h>

#include "graphs.hpp"

using namespace ctq;

namespace {

constexpr node named(std::string_view name, op_id op) {
  node n;
  n.name = name;
  n.op = op;
  return n;
}

/// x -> a -> dead -> more, a -> out; and an input that nothing reads.
constexpr dynamic_graph<stage::reference> with_dead_ends() {
  dynamic_graph<stage::reference> g;
  const int x = g.add(named("x", nn::placeholder.id()), nullptr, 0);
  g.add(named("y", nn::placeholder.id()), nullptr, 0);
  const int a = g.add(named("a", nn::relu.id()), x);
  const int dead = g.add(named("dead", nn::relu.id()), a);
  const int both[] = {dead, a};
  g.add(named("more", op::add.id()), both, 2);
  const int twice[] = {a, a};
  const int b = g.add(named("b", op::add.id()), twice, 2);
  g.add(named("out", nn::output.id()), b);
  return g;
}

constexpr int left() {
  auto g = with_dead_ends();
  remove_dead_nodes(g);
  return g.size();
}
static_assert(with_dead_ends().size() == 7 && left() == 5);

TEST_CASE("what no output reads is taken away, and arguments follow the nodes that move") {
  auto g = with_dead_ends();
  remove_dead_nodes(g);
  CHECK(graphs::print(g.view()) ==
        "x = placeholder()\n"
        "y = placeholder()\n"
        "a = torch.nn.ReLU(x)\n"
        "b = _operator.add(a, a)\n"
        "out = output(b)\n");
}

TEST_CASE("a graph without dead ends stays as it is") {
  auto g = with_dead_ends();
  remove_dead_nodes(g);
  auto again = g;
  remove_dead_nodes(again);
  graphs::check_equal(again.view(), g.view());
}

}  // namespace
