// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/dtype_choice.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/resolve_qconfig.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto net = model(
    "x"_n = nn::placeholder({1, 4}), "a"_n = nn::linear("x"_n, {.out_features = 4}),
    "b"_n = nn::linear("a"_n, {.out_features = 4}), "c"_n = nn::linear("b"_n, {.out_features = 4}),
    "d"_n = nn::relu("c"_n), "e"_n = op::add("d"_n, "c"_n), "out"_n = nn::output("e"_n));

using good = qconfig<min_max_observer<>, min_max_observer<{.dtype = qint8}>>;
using bad = qconfig<min_max_observer<>, min_max_observer<{.dtype = quint8}>>;
using mapping =
    qconfig_mapping<global<good>, module_name<"b", bad>, module_name<"d", qconfig_none>>;

using view = graph_view<stage::fused>;

/// What is decided about each node of the fused graph.
template <class Mapping = mapping, class Backend = x86>
list<choice> choices(graph_view<stage::traced> traced = net.view(), semantics s = {}) {
  const dynamic_graph<stage::fused> fused = fuse(traced, backend_v<Backend>);
  const view g = fused.view();
  const list<int> qconfigs = resolve_qconfigs(g, mapping_v<Mapping>);
  const auto matches =
      find_all(g, backend_v<Backend>, [](const backend_pattern_config_record&) { return true; });
  const prepare_options options{.semantics = s};
  dtype_plan<view> plan;
  plan_dtypes(g, backend_v<Backend>, mapping_v<Mapping>, qconfigs, matches, options, plan);
  preparing::dtype_choice<view, list<int>> all{
      g, backend_v<Backend>, mapping_v<Mapping>, qconfigs, matches, options};
  all.choose(plan);
  return all.of_node;
}

TEST_CASE("a node gets the first dtype config that fits its qconfig") {
  const list<choice> all = choices();
  CHECK(all[1].quantized());
  CHECK(all[1].why.why == rejection::clause::none);
  CHECK(!all[0].quantized());  // a placeholder
}

constexpr auto indexed =
    model("i"_n = nn::placeholder({4}, i64), "next"_n = op::add("i"_n, 1),
          "row"_n = nn::embedding("next"_n, {.num_embeddings = 9, .embedding_dim = 2}),
          "out"_n = nn::output("row"_n));
static_assert(indexed.nodes[1].dtype == i64);

TEST_CASE("a qconfig asks nothing of integers") {
  const list<choice> all = choices(indexed.view());
  CHECK(!all[1].quantized());
  CHECK(all[1].why.why == rejection::clause::none);
}

TEST_CASE("of equal patterns with different qconfigs each has its own answer") {
  const list<choice> all = choices();
  CHECK(all[2].pattern == all[1].pattern);
  CHECK(!all[2].quantized());
  CHECK(all[2].why.why == rejection::clause::dtype);
  CHECK(all[2].why.of == rejection::value::weight);
  CHECK(all[3].quantized());
}

constexpr auto residual = model("x"_n = nn::placeholder({1, 4}), "add"_n = op::add("x"_n, "x"_n),
                                "relu"_n = nn::relu("add"_n), "out"_n = nn::output("relu"_n));

using seven_bits = dtype_with_constraints<quint8, quant_min<0>, quant_max<127>>;
struct narrow
    : backend_config<
          "narrow",
          backend_pattern_config<
              pattern<op::add, nn::relu>,
              dtype_configs<dtype_config<input_dtype<seven_bits>, output_dtype<seven_bits>>>>> {};

TEST_CASE("a pattern is quantized as a whole or not at all; in 1.13 in part") {
  using fits =
      qconfig<min_max_observer<{.reduce_range = true}>, min_max_observer<{.dtype = qint8}>>;
  using wide_relu = qconfig_mapping<global<fits>, module_name<"relu", good>>;
  const list<choice> now = choices<wide_relu, narrow>(residual.view());
  CHECK(!now[1].quantized());
  CHECK(now[1].why.why == rejection::clause::pattern_part);
  CHECK(now[2].why.why == rejection::clause::quant_max);
  const list<choice> old = choices<wide_relu, narrow>(residual.view(), semantics::torch_1_13);
  CHECK(old[1].quantized());
  CHECK(old[2].why.why == rejection::clause::quant_max);
}

TEST_CASE("the arguments of a function are distinguished by position or keyword") {
  dynamic_graph<stage::fused> g;
  const int args[] = {0, 1, 2};
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  g.add({.name = "w", .op = nn::get_attr.id()}, nullptr, 0);
  g.add({.name = "b", .op = nn::get_attr.id()}, nullptr, 0);
  g.add({.name = "y", .op = fn::linear.id()}, args, 3);
  const list<int> qconfigs(4, -1);
  const occurrences<view> none;
  const prepare_options options;
  const view all = g.view();
  const preparing::dtype_choice<view, list<int>> of{all,      backend_v<x86>, mapping_v<mapping>,
                                                    qconfigs, none,           options};
  const int config = of.index_of(3);
  REQUIRE(config >= 0);
  CHECK(of.kind_of(config, {.position = 0}) == rejection::value::input);
  CHECK(of.kind_of(config, {.position = 1}) == rejection::value::weight);
  CHECK(of.kind_of(config, {.position = 2}) == rejection::value::bias);
  CHECK(of.kind_of(config, {.position = -1, .keyword = "weight"}) == rejection::value::weight);
  CHECK(of.kind_of(config, {.position = -1, .keyword = "bias"}) == rejection::value::bias);
  CHECK(of.kind_of(config, {.position = -1, .keyword = "input"}) == rejection::value::input);
}

TEST_CASE("a node without a qconfig is left alone") {
  CHECK(choices()[4].why.why == rejection::clause::no_qconfig);
}

}  // namespace
