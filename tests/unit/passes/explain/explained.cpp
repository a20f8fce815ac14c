// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/explain/explained.hpp"

#include <doctest/doctest.h>

#include "ctq/passes/explain/dot.hpp"
#include "ctq/passes/explain/json.hpp"
#include "ctq/passes/explain/markdown.hpp"
#include "explain_model.hpp"

using namespace explain_model;

namespace {

constexpr explanation all = explain<net, qnnpack, mapping, unsupported::skip>();

// conv, relu and pool run on integers; fc and head do not; flat is a view, unread does not run.
static_assert(coverage<net, qnnpack, mapping, unsupported::skip>() == 3.0 / 5.0);

const explained_node& node_named(const explained_model& m, std::string_view name) {
  for (const explained_node& n : m.nodes)
    if (n.name == name) return n;
  FAIL("no such node");
  return m.nodes[0];
}

}  // namespace

TEST_CASE("a fused node reports the node it runs in") {
  const explained_model m = all.model();
  const explained_node& relu = node_named(m, "relu");
  CHECK(relu.runs_in == "conv");
  CHECK(relu.on_integers);
  CHECK(relu.runs_as == q::conv_relu2d.id());
  CHECK(relu.observer == node_named(m, "conv").observer);
}

TEST_CASE("observers list the values that share them, nodes the observers of their inputs") {
  const explained_model m = all.model();
  const explained_node& pool = node_named(m, "pool");
  REQUIRE(pool.input_observers.size() == 1);
  CHECK(pool.input_observers[0] == pool.observer);
  CHECK(m.observers[pool.observer].values.size() == 4);
  CHECK(*m.observers[pool.observer].record == min_max_observer<>::value);
}

TEST_CASE("each dtype config before the chosen one has its reason") {
  const explained_model m = all.model();
  const explained_node& fc = node_named(m, "fc");
  REQUIRE(fc.rejected.size() == 4);
  CHECK(fc.rejected[0].why == rejection::clause::scale_min);
  CHECK(fc.rejected[1].why == rejection::clause::dtype);
  CHECK(fc.rejected[2].why == rejection::clause::is_dynamic);
  CHECK(node_named(m, "pool").rejected.size() == 1);
  CHECK(node_named(m, "head").rejected.empty());
}

TEST_CASE("an entry of the mapping is used if a node that runs has it") {
  explained_model m;
  m.nodes.emplace_back().choice.qconfig = 1;
  CHECK(!is_used(m, 1));
  m.nodes[0].is_read = true;
  CHECK(is_used(m, 1));
  CHECK(!is_used(m, 0));
}

TEST_CASE("of several observers of a value its own is the first") {
  dynamic_graph<stage::prepared> g;
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  for (const int observer : {0, 1})
    g.add({.op = q::activation_post_process.id(), .observer = observer}, 0);
  CHECK(explaining::observers_after(g.view())[0] == 0);
}

TEST_CASE("nodes that nothing reads do not run") {
  const explained_model m = all.model();
  CHECK(!node_named(m, "unread").is_read);
  CHECK(node_named(m, "unread").runs_as == nullptr);
}

// ---- a relu that goes into an op when it is lowered, not when it is fused

constexpr auto added = model(
    "x"_n = nn::placeholder({1, 4}), "a"_n = nn::linear("x"_n, {.out_features = 4}),
    "add"_n = op::add("a"_n, "x"_n), "relu"_n = fn::relu("add"_n), "out"_n = nn::output("relu"_n));
struct all_int8 : qconfig_mapping<global<int8>> {};

static_assert(coverage<added, qnnpack, all_int8>() == 1.0);

TEST_CASE("an op has the qparams of the relu that it computes as well") {
  const explained_model m = explain<added, qnnpack, all_int8>().model();
  CHECK(node_named(m, "relu").runs_in == "add");
  CHECK(node_named(m, "add").observer >= 0);
}

// ---- ops that are part of the kernel of the layer before them

constexpr auto joints =
    model("x"_n = nn::placeholder({1, 8}), "a"_n = nn::linear("x"_n, {.out_features = 8}),
          "b"_n = nn::linear("a"_n, {.out_features = 8}), "sum"_n = op::add("b"_n, "a"_n),
          "relu"_n = nn::relu("sum"_n), "c"_n = nn::linear("relu"_n, {.out_features = 8}),
          "act"_n = nn::leaky_relu("c"_n), "out"_n = nn::output("act"_n));

TEST_CASE("an op that is fused into a layer names it, and so does its relu") {
  const explained_model m = explain<joints, qnnpack, all_int8>().model();
  CHECK(node_named(m, "sum").fused_into == "b");
  CHECK(node_named(m, "sum").runs_in == "sum");
  CHECK(node_named(m, "relu").fused_into == "b");
  CHECK(node_named(m, "relu").runs_in == "sum");
  CHECK(node_named(m, "act").fused_into == "c");
  for (const char* alone : {"a", "b", "c"}) CHECK(node_named(m, alone).fused_into.empty());
}

TEST_CASE("all printers tell which layer an op is fused into") {
  const explained_model m = explain<joints, qnnpack, all_int8>().model();
  std::string text, markdown, json, dot;
  append_text(text, m);
  append_markdown(markdown, m);
  append_json(json, m);
  append_dot(dot, m);
  const std::string act =
      "torch.nn.LeakyReLU dtype_config #1, qconfig #0, qparams #5, fused into c";
  CHECK(text.find(act + "\n") != std::string::npos);
  CHECK(markdown.find(act + "<br>") != std::string::npos);
  CHECK(json.find("\"fused_into\": \"c\"") != std::string::npos);
  CHECK(has_line(dot, "subgraph cluster_0 { style=dashed; \"b\"; \"sum\"; \"relu\"; }"));
  CHECK(has_line(dot, "\"b\" -> \"sum\" [label=\"#2\"];"));
}

// ---- a model that only looks at its input

constexpr auto view_only =
    model("x"_n = nn::placeholder({1, 2, 2, 2}), "flat"_n = fn::flatten("x"_n, {.start_dim = 1}),
          "out"_n = nn::output("flat"_n));
static_assert(coverage<view_only, qnnpack, all_int8>() == 1.0);
