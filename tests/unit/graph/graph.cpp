// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/graph.hpp"

#include <doctest/doctest.h>

#include <type_traits>

#include "../passes/to_static.hpp"

using namespace ctq;

namespace {

/// x -> a -> b, both read by c; b twice by d.
constexpr dynamic_graph<stage::traced> sample() {
  dynamic_graph<stage::traced> g;
  const int x = g.add({.name = "x"}, nullptr, 0);
  const int a = g.add({.name = "a"}, x);
  const int b = g.add({.name = "b"}, a);
  list<int> both;
  both.push_back(a);
  both.push_back(b);
  g.add({.name = "c"}, both);
  const int twice[] = {b, b};
  g.add({.name = "d"}, twice, 2);
  g.add({.name = "a", .number = 0}, b);
  g.observers = 2;
  return g;
}

constexpr auto static_copy = to_static<6, 8>(sample());
static_assert(static_copy.count == 6 && static_copy.arg_count == 7 && static_copy.observers == 2);
static_assert(!static_copy.problem.any());

constexpr graph_view<stage::traced> g = static_copy.view();
static_assert(g.size() == 6 && g.arg_total() == 7 && g.observers == 2);
static_assert(g.args_of(0).size() == 0 && g.args_of(3).size() == 2);
static_assert(g.args_of(3)[0] == 1 && g.args_of(3)[1] == 2);
static_assert(g.arg(3, 1).name == "b");
static_assert(find(g, "b") == 2 && find(g, "nothing") == -1);
static_assert(find(g, "a") == 1);  // not the numbered one

// A node that reads a value twice is one reader.
static_assert(count_users(g)[0] == 1 && count_users(g)[1] == 2 && count_users(g)[2] == 3);
static_assert(count_users(g)[3] == 0);

static_assert(graph_view<stage::traced>{}.arg_total() == 0);
static_assert(!std::is_convertible_v<graph_view<stage::fused>, graph_view<stage::traced>>);

TEST_CASE("a dynamic graph and its static copy show the same") {
  const dynamic_graph<stage::traced> grown = sample();
  const graph_view<stage::traced> v = grown.view();
  REQUIRE(v.size() == g.size());
  for (int i = 0; i < v.size(); ++i) {
    CHECK(v[i].name == g[i].name);
    REQUIRE(v.args_of(i).size() == g.args_of(i).size());
    for (int a = 0; a < v.args_of(i).size(); ++a) CHECK(v.args_of(i)[a] == g.args_of(i)[a]);
  }
}

TEST_CASE("what a graph says is wrong stays with it") {
  dynamic_graph<stage::fused> bad;
  bad.problem.line("node a:");
  CHECK(to_static<1, 1>(bad).problem.message() == "node a:");
}

TEST_CASE("a node that is in the graph can be added again") {
  dynamic_graph<stage::traced> copy = sample();
  for (int i = 0; i < 100; ++i) copy.add(copy.nodes[1], copy.args.data(), 1);
  CHECK(copy.nodes.back().name == "a");
  CHECK(copy.view().arg(copy.view().size() - 1, 0).name == "x");
}

}  // namespace
