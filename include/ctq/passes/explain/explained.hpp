// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/graph/graph.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/passes/explain/rejections.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/missing_kernel.hpp"
#include "ctq/passes/schedule/step.hpp"

// What became of each node of a model, and why, as plain data: what the printers explain_text,
// explain_markdown, explain_json and explain_dot show.

namespace ctq {

struct explained_node {
  std::string_view name{};  // as the model has it
  op_id op{};
  list<int> reads{};             // nodes, by argument
  std::string_view runs_in{};    // the node that it is a part of when it runs; its own name if none
  bool is_read = false;          // what nothing reads does not run
  std::string_view joined_to{};  // the layer whose kernel computes that node too; empty if none
  bool on_integers = false;
  op_id runs_as{};       // the op that runs; null if none does
  dtype gives = f32;     // what comes out of that op
  ctq::choice choice{};  // of the node that it runs in
  bool is_observed = false;
  list<rejection> rejected{};   // the dtype configs before the one that was taken, or all of them
  list<int> input_observers{};  // by argument of the node that it runs in; -1: none
  int observer = -1;            // of what that node gives
};

/// An observer, or several that are one: those that share it.
struct explained_observer {
  const observer_record* record{};
  list<std::string_view> values{};  // the nodes whose values it sees
};

struct explained_model {
  list<explained_node> nodes;
  list<explained_observer> observers;  // by number
  backend_view backend{};
  mapping_view mapping{};
};

[[nodiscard]] constexpr bool is_call(op_id op) {
  return op->kind == op_kind::module || op->kind == op_kind::function ||
         op->kind == op_kind::method;
}

/// Does a node of a lowered graph compute with integers? Its output may be float nevertheless.
[[nodiscard]] constexpr bool runs_on_integers(const node& lowered) {
  return is_quantized(lowered.dtype) || lowered.op->kind == op_kind::pass;
}

/// Is an entry of the mapping that of some node?
[[nodiscard]] constexpr bool is_used(const explained_model& m, int entry) {
  for (const explained_node& n : m.nodes)
    if (n.is_read && n.choice.qconfig == entry) return true;
  return false;
}

/// A model at each of its stages.
struct explained_stages {
  graph_view<stage::traced> traced{};
  view<int> into{};  // of the traced nodes, as fused_into finds it
  graph_view<stage::fused> fused{};
  graph_view<stage::prepared> prepared{};
  graph_view<stage::lowered> lowered{};
  view<step> steps{};  // of the lowered graph, with what can be one kernel joined
  backend_view backend{};
  mapping_view mapping{};
  prepare_options options{};
};

/// The name under which a traced node runs: its own, or that of what fuse or lower has put it into.
/// It may be that of no node, if nothing reads it.
[[nodiscard]] constexpr std::string_view part_of(const explained_stages& s, int traced) {
  const std::string_view fused = s.traced[s.into[traced]].name;
  const int planned = find(s.prepared, fused);
  if (planned < 0 || find(s.lowered, fused) >= 0) return fused;
  // A relu without an observer between it and an op on integers is in that op.
  if (!s.prepared[planned].op->descriptor->is_relu) return fused;
  const node& inner = s.prepared.arg(planned, 0);
  const int at = inner.op->kind == op_kind::pass ? -1 : find(s.lowered, inner.name);
  return at >= 0 && runs_on_integers(s.lowered[at]) ? inner.name : fused;
}

namespace explaining {

constexpr bool is_app(const node& n) { return is_any_of(n.op, q::activation_post_process); }

/// The observers around a prepared node.
constexpr void add_observers(explained_node& n, graph_view<stage::prepared> g, int planned) {
  for (const int a : g.args_of(planned))
    n.input_observers.push_back(is_app(g[a]) ? g[a].observer : -1);
  for (int i = planned + 1; i < g.size() && n.observer < 0; ++i)
    if (is_app(g[i]) && g.args_of(i)[0] == planned) n.observer = g[i].observer;
}

/// The layer that the lowered node `at` is joined to, or nothing.
constexpr std::string_view layer_of(const explained_stages& s, int at) {
  for (int i = 0; i < s.steps.size(); ++i)
    if (s.steps[i].joined_node == at) return s.lowered[s.steps[i].node].name;
  return {};
}

/// What a value was before observers looked at it.
constexpr int observed_value(graph_view<stage::prepared> g, int i) {
  while (is_app(g[i])) i = g.args_of(i)[0];
  return i;
}

constexpr list<explained_observer> observers_of(graph_view<stage::prepared> g) {
  list<explained_observer> all(g.observers);
  for (int i = 0; i < g.size(); ++i) {
    if (!is_app(g[i])) continue;
    explained_observer& o = all[g[i].observer];
    if (o.record == nullptr) o.record = g[i].observer_config;
    o.values.push_back(g[observed_value(g, i)].name);
  }
  return all;
}

}  // namespace explaining

/// All about a model. It refers to the stages' names, ops and records.
[[nodiscard]] constexpr explained_model explain(const explained_stages& s) {
  explained_model m;
  m.backend = s.backend;
  m.mapping = s.mapping;
  m.observers = explaining::observers_of(s.prepared);
  const list<list<rejection>> rejected = rejections(s.fused, s.backend, s.mapping, s.options);
  m.nodes.reserve(s.traced.size());
  for (int i = 0; i < s.traced.size(); ++i) {
    explained_node& n = m.nodes.emplace_back();
    n.name = s.traced[i].name;
    n.op = s.traced[i].op;
    for (const int a : s.traced.args_of(i)) n.reads.push_back(a);
    n.runs_in = part_of(s, i);
    const int planned = find(s.prepared, n.runs_in);
    const int at = find(s.lowered, n.runs_in);
    if (planned < 0 || at < 0) continue;
    n.is_read = true;
    n.joined_to = explaining::layer_of(s, at);
    n.on_integers = runs_on_integers(s.lowered[at]);
    n.runs_as = s.lowered[at].op;
    n.gives = s.lowered[at].dtype;
    n.choice = s.prepared[planned].choice;
    n.is_observed = is_observed(s.prepared[planned], s.backend);
    n.rejected = rejected[find(s.fused, n.runs_in)];
    explaining::add_observers(n, s.prepared, planned);
    if (is_quantized(n.gives)) n.observer = s.lowered[at].observer;
  }
  return m;
}

}  // namespace ctq
