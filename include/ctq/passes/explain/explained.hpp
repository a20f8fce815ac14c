// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/graph/graph.hpp"
#include "ctq/graph/name_index.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/passes/explain/rejected_dtype_configs.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/missing_kernel.hpp"
#include "ctq/passes/lstm_outputs.hpp"
#include "ctq/passes/schedule/step.hpp"

// What was decided about each node of a model, and why, as plain data: the input of the printers
// text.hpp, markdown.hpp, json.hpp and dot.hpp.

namespace ctq {

/// The decision about a node of the model.
struct explained_node {
  std::string_view name{};  // in the model
  op_id op{};
  list<int> reads{};           // nodes, by argument
  std::string_view runs_in{};  // the node that it is a part of when it runs; its own name if none
  bool is_read = false;        // nodes that are not read do not run
  std::string_view fused_into{};  // the layer whose kernel computes that node too; empty if none
  bool on_integers = false;
  op_id runs_as{};       // the op that runs; null if none does
  dtype gives = f32;     // the dtype of the output of that op
  ctq::choice choice{};  // of the node that it runs in
  bool is_observed = false;
  list<rejection> rejected{};   // the dtype configs before the chosen one, or all of them
  list<int> input_observers{};  // by argument of the node that it runs in; -1: none
  int observer = -1;            // of the output of that node
};

/// An observer, and the values that it observes.
struct explained_observer {
  const observer_record* record{};
  list<std::string_view> values{};  // the nodes whose outputs it observes
};

/// All decisions about a model.
struct explained_model {
  list<explained_node> nodes;
  list<explained_observer> observers;  // by number
  backend_view backend{};
  mapping_view mapping{};
};

/// Whether the op is called: a module, function or method, not an input, an output or an attribute.
[[nodiscard]] constexpr bool is_call(op_id op) {
  return op->kind == op_kind::module || op->kind == op_kind::function ||
         op->kind == op_kind::method;
}

/// Whether a node of a lowered graph computes with integers. Its output may still be float.
[[nodiscard]] constexpr bool runs_on_integers(const node& lowered) {
  return is_quantized(lowered.dtype) || lowered.op->kind == op_kind::pass;
}

/// Whether an entry of the mapping is that of some node.
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
  view<step> steps{};  // of the lowered graph, with ops fused into layers
  backend_view backend{};
  mapping_view mapping{};
  prepare_options options{};
};

/// The name under which a traced node runs: its own, or that of the node into which fuse or lower
/// has fused it. There may be no node of that name, if it is not read.
///   find_planned  returns the prepared node with a name, or -1
///   find_lowered  returns the lowered one
template <class FindPlanned, class FindLowered>
[[nodiscard]] constexpr std::string_view part_of(const explained_stages& s, int traced,
                                                 FindPlanned find_planned,
                                                 FindLowered find_lowered) {
  const std::string_view fused = s.traced[s.into[traced]].name;
  const int planned = find_planned(fused);
  if (planned < 0 || find_lowered(fused) >= 0) return fused;
  // A relu without an observer between it and an op on integers is fused into that op.
  if (!s.prepared[planned].op->descriptor->is_relu) return fused;
  const node& inner = s.prepared.arg(planned, 0);
  const int at = inner.op->kind == op_kind::pass ? -1 : find_lowered(inner.name);
  return at >= 0 && runs_on_integers(s.lowered[at]) ? inner.name : fused;
}
[[nodiscard]] constexpr std::string_view part_of(const explained_stages& s, int traced) {
  return part_of(
      s, traced, [&s](std::string_view name) { return find(s.prepared, name); },
      [&s](std::string_view name) { return find(s.lowered, name); });
}

namespace explaining {

constexpr bool is_observer_node(const node& n) {
  return is_any_of(n.op, q::activation_post_process);
}

/// By prepared node: the first observer of its output, or -1.
constexpr list<int> observers_after(graph_view<stage::prepared> g) {
  list<int> observer(g.size(), -1);
  for (int i = 0; i < g.size(); ++i)
    if (is_observer_node(g[i]) && observer[g.args_of(i)[0]] < 0)
      observer[g.args_of(i)[0]] = g[i].observer;
  return observer;
}

/// By lowered node: the layer into which it is fused, or nothing.
constexpr list<std::string_view> layers_of(const explained_stages& s) {
  list<std::string_view> layer(s.lowered.size());
  for (int i = s.steps.size() - 1; i >= 0; --i)
    for (const int fused : {s.steps[i].fused_node, s.steps[i].clamp_node})
      if (fused >= 0) layer[fused] = s.lowered[s.steps[i].node].name;
  return layer;
}

/// The node whose output an observer node passes on.
constexpr int observed_value(graph_view<stage::prepared> g, int i) {
  while (is_observer_node(g[i])) i = g.args_of(i)[0];
  return i;
}

constexpr list<explained_observer> observers_of(graph_view<stage::prepared> g) {
  list<explained_observer> all(g.observers);
  for (int i = 0; i < g.size(); ++i) {
    if (has_inner_observers(g[i]))
      for (int k = 0; k < g[i].op->descriptor->inner_observers(g[i].attrs); ++k) {
        explained_observer& o = all[g[i].observer + k];
        if (o.record == nullptr) o.record = g[i].observer_config;
        o.values.push_back(g[i].name);
      }
    if (!is_observer_node(g[i])) continue;
    explained_observer& o = all[g[i].observer];
    if (o.record == nullptr) o.record = g[i].observer_config;
    o.values.push_back(g[observed_value(g, i)].name);
  }
  return all;
}

}  // namespace explaining

/// All decisions about a model. Refers to the names, ops and records of the stages.
template <int Deferred = 0>
[[nodiscard]] constexpr explained_model explain(const explained_stages& s) {
  explained_model m;
  m.backend = s.backend;
  m.mapping = s.mapping;
  m.observers = explaining::observers_of(s.prepared);
  const list<list<rejection>> rejected =
      rejected_dtype_configs<Deferred>(s.fused, s.backend, s.mapping, s.options);
  const list<int> observer_of = explaining::observers_after(s.prepared);
  const list<std::string_view> layer_of = explaining::layers_of(s);
  const name_index fused(s.fused);
  const name_index prepared(s.prepared);
  const name_index lowered(s.lowered);
  const auto find_planned = [&](std::string_view name) { return prepared.find(name); };
  const auto find_lowered = [&](std::string_view name) { return lowered.find(name); };
  m.nodes.reserve(s.traced.size());
  for (int i = 0; i < s.traced.size(); ++i) {
    explained_node& n = m.nodes.emplace_back();
    n.name = s.traced[i].name;
    n.op = s.traced[i].op;
    for (const int a : s.traced.args_of(i)) n.reads.push_back(a);
    n.runs_in = part_of(s, i, find_planned, find_lowered);
    const int planned = prepared.find(n.runs_in);
    const int at = lowered.find(n.runs_in);
    if (planned < 0 || at < 0) continue;
    n.is_read = true;
    n.fused_into = layer_of[at];
    n.on_integers = runs_on_integers(s.lowered[at]);
    n.runs_as = s.lowered[at].op;
    n.gives = s.lowered[at].dtype;
    n.choice = s.prepared[planned].choice;
    n.is_observed = is_observed(s.prepared[planned], s.backend);
    n.rejected = rejected[fused.find(n.runs_in)];
    for (const int a : s.prepared.args_of(planned))
      n.input_observers.push_back(
          explaining::is_observer_node(s.prepared[a]) ? s.prepared[a].observer : -1);
    n.observer = observer_of[planned];
    if (is_quantized(n.gives)) n.observer = s.lowered[at].observer;
  }
  return m;
}

}  // namespace ctq
