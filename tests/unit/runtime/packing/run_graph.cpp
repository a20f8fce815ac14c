// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/packing/run_graph.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/x86.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 3}),
          "squashed"_n = nn::hardswish("fc"_n), "moved"_n = op::add("squashed"_n, "squashed"_n),
          "head"_n = nn::linear("moved"_n, {.out_features = 2}),
          "compared"_n = op::gt("head"_n, 0.0F), "out"_n = nn::output("compared"_n));
struct mapping
    : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>,
                      module_name<"head", qconfig_none>> {};
using net_plan = plan<net, x86, mapping, unsupported::skip>;

constexpr auto& lowered = net_plan::lowered;
constexpr auto& kept = run_graph<net_plan::lowered>;

constexpr bool same_nodes() {
  for (int i = 0; i < lowered.size(); ++i) {
    const node &a = lowered.nodes[i], &b = kept.nodes[i];
    if (a.name != b.name || a.op->name != b.op->name || a.op->kind != b.op->kind) return false;
    if (a.attrs != b.attrs || a.shape != b.shape || a.dtype != b.dtype) return false;
    if (a.first_arg != b.first_arg || a.arg_count != b.arg_count) return false;
  }
  return kept.count == lowered.count && kept.observers == lowered.observers;
}
static_assert(same_nodes());

constexpr const node& named(std::string_view name) {
  for (const node& n : kept.nodes)
    if (n.name == name) return n;
  return kept.nodes[0];
}

}  // namespace

TEST_CASE("a program keeps what runs an op, and what packs its weight") {
  const op_descriptor& layer = *named("fc").op->descriptor;
  CHECK(layer.weights == q::linear.id()->descriptor->weights);
  CHECK((layer.parameters == q::linear.id()->descriptor->parameters));
  const op_descriptor& table = *named("squashed").op->descriptor;
  CHECK((table.functions.apply != nullptr));
  CHECK((table.functions.apply == nn::hardswish.id()->descriptor->functions.apply));
}

TEST_CASE("but neither observers nor what passes and training ask ops for") {
  for (int i = 0; i < kept.size(); ++i) {
    CAPTURE(kept.nodes[i].name);
    CHECK((kept.nodes[i].weight == nullptr));
    CHECK((kept.nodes[i].observer_config == nullptr));
    const op_descriptor& d = *kept.nodes[i].op->descriptor;
    CHECK((d.infer_shape == nullptr));
    CHECK((d.functions.add_gradient == nullptr));
    CHECK((d.integer_form == nullptr));
    CHECK((d.schedule.sizes == nullptr));
  }
}

TEST_CASE("an op whose place another takes if an operand is a number may be that one itself") {
  const op_info& moved = *named("moved").op;
  CHECK((moved.descriptor->schedule.with_number == q::add_scalar.id()));
  const op_info& compared = *named("compared").op;
  CHECK((&compared != op::gt.id()));
  CHECK((compared.descriptor->schedule.with_number == op::gt.id()));
}
