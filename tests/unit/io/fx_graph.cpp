// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/fx_graph.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

using kind = argument::kind;

/// x, then f(x, 3) of a module with options.
fx_graph traced(const op_table& known) {
  fx_graph g;
  node x{.name = g.keep("x"), .op = g.op(op_kind::placeholder, "placeholder", known)};
  g.add(x, {}, {}, {}, {});
  for (int i = 0; i < 100; ++i) {
    // Short texts move with a std::string; kept ones must not.
    node n{.name = g.keep("f" + std::to_string(i)), .op = g.op(op_kind::module, "Mine", known)};
    g.add(n, {.target = g.keep("m" + std::to_string(i))},
          {{.is = kind::node}, {.is = kind::integer, .integer = i}},
          {{.is = kind::text, .keyword = g.keep("mode"), .text = g.keep("a")}}, {i});
  }
  return g;
}

}  // namespace

TEST_CASE("what nodes point into stays where it is when the graph is moved") {
  const op_table known = ops<builtin>::value;
  fx_graph first = traced(known);
  const fx_graph g = std::move(first);
  const auto v = g.view();
  REQUIRE(v.size() == 101);
  for (int i = 0; i < 100; ++i) {
    const node& n = v[i + 1];
    CHECK(n.name == "f" + std::to_string(i));
    CHECK(n.row->target == "m" + std::to_string(i));
    REQUIRE(n.row->args.size() == 2);
    CHECK(n.row->args[1].integer == i);
    CHECK(v.args_of(i + 1)[0] == i);
    REQUIRE(g.options_of(i + 1).size() == 1);
    CHECK(g.options_of(i + 1)[0].keyword == "mode");
  }
  CHECK(g.options_of(0).size() == 0);
}

TEST_CASE("an op has one identity, known or the graph's own, by its name and its kind") {
  const op_table known = ops<builtin>::value;
  fx_graph g;
  CHECK(g.op(op_kind::module, nn::linear.id()->name, known) == nn::linear.id());
  const op_id mine = g.op(op_kind::module, "Mine", known);
  CHECK(g.op(op_kind::module, "Mine", known) == mine);
  const op_id function = g.op(op_kind::function, "Mine", known);
  CHECK(function != mine);
  CHECK(function->name == "Mine");
  CHECK(function->kind == op_kind::function);
  // A name that ctq knows of another kind is another op.
  const op_id other = g.op(op_kind::function, nn::linear.id()->name, known);
  CHECK(other != nn::linear.id());
  REQUIRE(g.own_ops().size() == 3);
  CHECK(g.own_ops()[0] == mine);
}

TEST_CASE("a call is moved into the module around it") {
  fx_graph g = traced(ops<builtin>::value);
  g.set_scope(2, "block");
  CHECK(g.view()[2].row->scope == "block");
  CHECK(g.view()[3].row->scope == "");
}
