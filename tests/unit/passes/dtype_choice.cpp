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

/// What is decided about each node of the fused graph.
list<choice> choices() {
  const dynamic_graph<stage::fused> fused = fuse(net.view(), backend_v<x86>);
  using view = graph_view<stage::fused>;
  const view g = fused.view();
  const list<int> qconfigs = resolve_qconfigs(g, mapping_v<mapping>);
  const auto matches =
      find_all(g, backend_v<x86>, [](const backend_pattern_config_record&) { return true; });
  const prepare_options options;
  dtype_plan<view> plan;
  plan_dtypes(g, backend_v<x86>, mapping_v<mapping>, qconfigs, matches, options, plan);
  preparing::dtype_choice<view, list<int>> all{g,        backend_v<x86>, mapping_v<mapping>,
                                               qconfigs, matches,        options};
  all.choose(plan);
  return all.of_node;
}

TEST_CASE("a node gets the first dtype config that fits its qconfig") {
  const list<choice> all = choices();
  CHECK(all[1].quantized());
  CHECK(all[1].why.why == rejection::clause::none);
  CHECK(!all[0].quantized());  // a placeholder
}

TEST_CASE("of equal patterns with different qconfigs each has its own answer") {
  const list<choice> all = choices();
  CHECK(all[2].pattern == all[1].pattern);
  CHECK(!all[2].quantized());
  CHECK(all[2].why.why == rejection::clause::dtype);
  CHECK(all[2].why.of == rejection::value::weight);
  CHECK(all[3].quantized());
}

TEST_CASE("a node without a qconfig is left alone") {
  CHECK(choices()[4].why.why == rejection::clause::no_qconfig);
}

}  // namespace
