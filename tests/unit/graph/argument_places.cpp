// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/argument_places.hpp"

#include <doctest/doctest.h>

#include "ctq/graph/model.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

using kind = argument::kind;

// f(x, [y, 2, z], 3, weight=w): four nodes, one of them by keyword.
constexpr argument arguments[] = {{.is = kind::node},
                                  {.is = kind::list, .integer = 3},
                                  {.is = kind::node},
                                  {.is = kind::integer, .integer = 2},
                                  {.is = kind::node},
                                  {.is = kind::integer, .integer = 3},
                                  {.is = kind::node, .keyword = "weight"}};
constexpr fx_row row{.target = "f", .args = {arguments, 7}};

dynamic_graph<stage::traced> called() {
  dynamic_graph<stage::traced> g;
  const list<int> none;
  for (const char* name : {"x", "y", "z", "w"})
    g.add(node{.name = name, .op = nn::placeholder.id()}, none);
  node f{.name = "f", .op = fn::linear.id()};
  f.row = &row;
  const int args[] = {0, 1, 2, 3};
  g.add(f, args, 4);
  return g;
}

TEST_CASE("a node is found at its position, in its list, or by its keyword") {
  const auto g = called();
  const list<argument_place> places = places_of(g.view(), 4);
  REQUIRE(places.size() == 4);
  CHECK(places[0].position == 0);
  CHECK(!places[0].in_list);
  CHECK(places[1].position == 1);
  CHECK(places[1].in_list);
  CHECK(places[2].in_list);
  CHECK(places[3].position == -1);
  CHECK(places[3].keyword == "weight");
}

TEST_CASE("positions hold nodes, literals and lists") {
  const auto g = called();
  const list<int> positions = positional_nodes(g.view(), 4);
  REQUIRE(positions.size() == 3);
  CHECK(positions[0] == 0);
  CHECK(positions[1] == -1);
  CHECK(positions[2] == -1);
}

TEST_CASE("what fusion appends is the last") {
  auto g = called();
  const int args[] = {0, 1, 2, 3, 0};
  node f = g.nodes[4];
  g.add(f, args, 5);
  const list<argument_place> places = places_of(g.view(), 5);
  REQUIRE(places.size() == 5);
  CHECK(places[4].position == 3);
  CHECK(positional_nodes(g.view(), 5)[3] == 0);
}

constexpr auto net = model("x"_n = nn::placeholder({1, 2}), "y"_n = nn::relu("x"_n),
                           "c"_n = fn::cat({"x"_n, "y"_n}, {.dim = 1}),
                           "s"_n = op::add("c"_n, "c"_n), "out"_n = nn::output("s"_n));

TEST_CASE("models in C++ pass their tensors by position, cat in a list") {
  CHECK(places_of(net.view(), 2)[1].in_list);
  CHECK(places_of(net.view(), 2)[1].position == 0);
  CHECK(positional_nodes(net.view(), 2)[0] == -1);
  CHECK(places_of(net.view(), 3)[1].position == 1);
  CHECK(positional_nodes(net.view(), 3)[1] == 2);
}

// (x, [y, z], 1, x)
constexpr argument tuple[] = {{.is = kind::list, .integer = 4},
                              {.is = kind::node},
                              {.is = kind::list, .integer = 2},
                              {.is = kind::node},
                              {.is = kind::node},
                              {.is = kind::integer, .integer = 1},
                              {.is = kind::node}};
constexpr argument dict[] = {{.is = kind::dict, .integer = 2},
                             {.is = kind::node, .keyword = "u"},
                             {.is = kind::node, .keyword = "v"}};

TEST_CASE("outputs are counted in the tuple that is returned, a dict is one") {
  const fx_row nested{.args = {tuple, 7}};
  node output{.op = nn::output.id(), .row = &nested};
  dynamic_graph<stage::traced> g;
  const int args[] = {0, 1, 2, 0};
  g.add(output, args, 4);
  const list<int> indexes = output_indexes(g.view(), 0);
  REQUIRE(indexes.size() == 4);
  CHECK(indexes[0] == 0);
  CHECK(indexes[1] == 1);
  CHECK(indexes[2] == 1);
  CHECK(indexes[3] == 3);
  const fx_row of_dict{.args = {dict, 3}};
  g.nodes[0].row = &of_dict;
  g.nodes[0].arg_count = 2;
  CHECK(output_indexes(g.view(), 0)[1] == 0);
  CHECK(output_indexes(net.view(), 4)[0] == 0);
}

}  // namespace
