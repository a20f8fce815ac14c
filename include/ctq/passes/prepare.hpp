// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/passes/accept.hpp"
#include "ctq/passes/match.hpp"
#include "ctq/passes/rejection.hpp"
#include "ctq/passes/resolve_qconfig.hpp"
#include "ctq/passes/unsupported.hpp"

// Observer placement. For each occurrence of a backend pattern whose qconfig fits a dtype config,
// an observer comes before each input of its root and behind its last node; ops that keep their
// input's range share its observer. Observers become nodes; their number in node::observer says
// which of them are one and the same.
//
// A node that has a qconfig which the backend cannot honour is an error, unless the caller says
// skip (then it stays in float, as in PyTorch).

namespace ctq {

namespace preparing {

struct observed_value {
  int producer{};  // node of the fused graph
  int instance{};  // which observer
  int next = -1;   // of the same producer
};

class placement {
 public:
  constexpr placement(graph_view<stage::fused> g, const backend_view& backend,
                      const mapping_view& mapping, const list<int>& qconfigs)
      : g_(g),
        backend_(backend),
        mapping_(mapping),
        qconfig_(qconfigs),
        matches_(find_all(g, backend, [](const backend_pattern_config_record&) { return true; })),
        choice_(g.size()),
        first_app_(g.size(), -1),
        behind_(g.size(), -1),
        before_(g.arg_total(), -1) {
    for (int i = 0; i < g.size(); ++i) choose(i);
    for (const occurrence& o : matches_.found) agree(o);
    for (int i = 0; i < g.size(); ++i) observe(i);
  }

  /// The first node whose qconfig cannot be honoured, or -1; rather a cause than a consequence.
  [[nodiscard]] constexpr int first_rejected() const {
    int consequence = -1;
    for (int i = 0; i < g_.size(); ++i) {
      const rejection::clause why = choice_[i].why.why;
      if (why == rejection::clause::none || why == rejection::clause::no_qconfig) continue;
      if (why != rejection::clause::pattern_part) return i;
      if (consequence < 0) consequence = i;
    }
    return consequence;
  }

  [[nodiscard]] constexpr const choice& choice_of(int i) const { return choice_[i]; }

  /// The graph with the observers in it.
  [[nodiscard]] constexpr dynamic_graph<stage::prepared> graph() const {
    dynamic_graph<stage::prepared> out;
    out.reserve(g_.size() + static_cast<int>(apps_.size()),
                g_.arg_total() + static_cast<int>(apps_.size()));
    list<int> args;
    list<int> number(instance_qconfig_.size(), -1);  // observers in use, counted in graph order
    list<int> moved(g_.size(), -1);
    list<int> app_node(apps_.size(), -1);
    for (int i = 0; i < g_.size(); ++i) {
      args.clear();
      for (int a = 0; a < g_[i].arg_count; ++a)
        args.push_back(source(g_[i].first_arg + a, moved, app_node));
      moved[i] = out.add(g_[i], args);
      out.nodes.back().choice = choice_[i];
      const int behind = behind_[i];
      for (int a = first_app_[i]; a >= 0; a = apps_[a].next) {
        int& id = number[apps_[a].instance];
        if (id < 0) id = out.observers++;
        const bool chained = behind >= 0 && behind != a;
        app_node[a] = out.add(app(a, id), chained ? app_node[behind] : moved[i]);
      }
    }
    return out;
  }

 private:
  [[nodiscard]] constexpr const occurrence* match_of(int i) const {
    const int which = matches_.of_node[i];
    return which < 0 ? nullptr : &matches_.found[which];
  }

  /// Takes the first dtype config that fits, or remembers why none does.
  constexpr void choose(int i) {
    choice& c = choice_[i];
    const op_kind kind = g_[i].op->kind;
    if (kind == op_kind::placeholder || kind == op_kind::output) return;
    c.qconfig = qconfig_[i];
    if (c.qconfig < 0 || !mapping_.entries[c.qconfig].quantizes) {
      c.why.why = rejection::clause::no_qconfig;
      return;
    }
    const occurrence* const o = match_of(i);
    if (o == nullptr) {
      c.why.why = rejection::clause::no_pattern;
      return;
    }
    c.pattern = o->config;
    const backend_pattern_config_record& config = backend_.configs[o->config];
    if (config.dtype_configs.empty()) c.why.why = rejection::clause::no_pattern;
    const bool weighted = config.root_module != nullptr || has_weight(g_[o->root()].op);
    for (int k = 0; k < config.dtype_configs.size(); ++k) {
      rejection r = accepts(config.dtype_configs[k], mapping_.entries[c.qconfig].qconfig, weighted);
      if (r.why == rejection::clause::none) {
        c.dtype_config = k;
        c.why = {};
        return;
      }
      r.dtype_config = k;
      if (k == 0 || (is_about_kind(c.why.why) && !is_about_kind(r.why))) c.why = r;
    }
  }

  /// Another kind of numbers is further off than a bound.
  static constexpr bool is_about_kind(rejection::clause c) {
    return c == rejection::clause::dtype || c == rejection::clause::is_dynamic;
  }

  /// An occurrence is quantized as a whole or not at all.
  constexpr void agree(const occurrence& o) {
    bool all = true;
    for (const int n : o.nodes) all = all && (n < 0 || choice_[n].quantized());
    if (all) return;
    for (const int n : o.nodes) {
      if (n < 0 || !choice_[n].quantized()) continue;
      choice_[n].dtype_config = -1;
      choice_[n].why.why = rejection::clause::pattern_part;
    }
  }

  [[nodiscard]] constexpr const observer_record& activation_of(int qconfig) const {
    return mapping_.entries[qconfig].qconfig.activation;
  }

  /// A new observer of this value, last in the chain of its observers.
  constexpr int add_app(int producer, int qconfig) {
    const auto added = static_cast<int>(apps_.size());
    apps_.push_back({producer, static_cast<int>(instance_qconfig_.size())});
    instance_qconfig_.push_back(qconfig);
    int* end = &first_app_[producer];
    while (*end >= 0) end = &apps_[*end].next;
    *end = added;
    return added;
  }

  constexpr void observe(int i) {
    const occurrence* const o = match_of(i);
    if (o == nullptr || !choice_[i].quantized()) return;
    const backend_pattern_config_record& config = backend_.configs[o->config];
    const observation_type type = config.observation_for(g_[o->root()].arg_count);
    if (type == observation_type::input_output_not_observed) return;
    if (i == o->root()) observe_inputs(i, choice_[i].qconfig);
    if (i == o->last()) {
      behind_[i] = add_app(i, choice_[i].qconfig);
      if (type == observation_type::output_share_observer_with_input) share(i);
    }
  }

  /// What an argument carries: the observer behind its producer, if there is one.
  [[nodiscard]] constexpr const observer_record* carried(int producer) const {
    const int app = behind_[producer];
    return app < 0 ? nullptr : &activation_of(instance_qconfig_[apps_[app].instance]);
  }

  constexpr void observe_inputs(int i, int qconfig) {
    const node& n = g_[i];
    for (int a = 0; a < n.arg_count; ++a) {
      const int edge = n.first_arg + a;
      const int producer = g_.args_of(i)[a];
      const observer_record* const has = carried(producer);
      if (has != nullptr && has->args.dtype == activation_of(qconfig).args.dtype) continue;
      before_[edge] = equal_app(producer, qconfig);
      if (before_[edge] < 0) before_[edge] = add_app(producer, qconfig);
    }
  }

  /// An observer of this value that another reader has already asked for. PyTorch compares class
  /// and dtype only; two readers with different ranges must not get one observer.
  [[nodiscard]] constexpr int equal_app(int producer, int qconfig) const {
    for (int a = first_app_[producer]; a >= 0; a = apps_[a].next) {
      const int other = instance_qconfig_[apps_[a].instance];
      if (behind_[producer] == a) continue;
      if (other == qconfig || activation_of(other) == activation_of(qconfig)) return a;
    }
    return -1;
  }

  /// The first observer met when climbing from an argument towards the inputs, or -1.
  [[nodiscard]] constexpr int climb(int edge) const {
    for (;;) {
      if (before_[edge] >= 0) return before_[edge];
      const int producer = g_.args[edge];
      if (behind_[producer] >= 0) return behind_[producer];
      if (g_[producer].arg_count == 0) return -1;
      edge = g_[producer].first_arg;
    }
  }

  /// Gives the output of i, and all its inputs, the observer of its first input.
  constexpr void share(int i) {
    const node& n = g_[i];
    const int first = n.arg_count > 0 ? climb(n.first_arg) : -1;
    if (first < 0) {  // nothing to share with: PyTorch takes the output's observer away
      first_app_[i] = behind_[i] = -1;
      return;
    }
    const int instance = apps_[first].instance;
    apps_[behind_[i]].instance = instance;
    if (!is_any_of(n.op, fn::cat)) return;  // of other ops only the first argument is linked
    for (int a = 1; a < n.arg_count; ++a) {
      const int other = climb(n.first_arg + a);
      if (other >= 0) apps_[other].instance = instance;
    }
  }

  [[nodiscard]] constexpr int source(int edge, const list<int>& moved,
                                     const list<int>& app_node) const {
    const int producer = g_.args[edge];
    if (before_[edge] >= 0) return app_node[before_[edge]];
    const int behind = behind_[producer];
    return behind >= 0 ? app_node[behind] : moved[producer];
  }

  [[nodiscard]] constexpr node app(int a, int id) const {
    node n{.name = q::activation_post_process.name,
           .number = a,
           .op = q::activation_post_process.id()};
    n.shape = g_[apps_[a].producer].shape;
    n.choice.qconfig = instance_qconfig_[apps_[a].instance];
    n.observer = id;
    return n;
  }

  graph_view<stage::fused> g_;
  backend_view backend_;
  mapping_view mapping_;
  list<int> qconfig_;
  occurrences matches_;
  list<choice> choice_;
  list<int> first_app_;  // by node: of the observers that see its output
  list<int> behind_;     // by node: the observer that all its readers see
  list<int> before_;     // by argument: an observer of its own
  list<observed_value> apps_;
  list<int> instance_qconfig_;  // by observer: the entry of the mapping that made it
};

/// Was a dtype config taken that quantizes activations as they come?
constexpr bool is_dynamic(const choice& c, const backend_view& backend) {
  return backend.configs[c.pattern].dtype_configs[c.dtype_config].is_dynamic;
}

}  // namespace preparing

/// Places the observers. problem says which qconfig cannot be honoured, and why.
///   qconfigs  by node: its entry of the mapping, as resolve_qconfigs finds it
[[nodiscard]] constexpr dynamic_graph<stage::prepared> prepare_graph(
    graph_view<stage::fused> g, const backend_view& backend, const mapping_view& mapping,
    const list<int>& qconfigs, unsupported policy = unsupported::error) {
  const preparing::placement placed{g, backend, mapping, qconfigs};
  dynamic_graph<stage::prepared> out = placed.graph();
  for (int i = 0; i < g.size() && !out.problem.any(); ++i) {
    const choice& c = placed.choice_of(i);
    if (!c.quantized() || !preparing::is_dynamic(c, backend)) continue;
    out.problem.line("node ", g[i].name, ":").line("dynamic quantization has no kernels");
  }
  const int bad = placed.first_rejected();
  if (bad < 0 || policy == unsupported::skip || out.problem.any()) return out;
  node n = g[bad];
  n.choice = placed.choice_of(bad);
  out.problem.line("the QConfig cannot be honoured:");
  out.problem.line("backend: ", backend.name).line("node: ", n.name);
  append_rejection(out.problem.text, n, backend);
  out.problem.line("to mean it: allow_float<", n.name, ">");
  return out;
}

[[nodiscard]] constexpr dynamic_graph<stage::prepared> prepare_graph(
    graph_view<stage::fused> g, const backend_view& backend, const mapping_view& mapping,
    unsupported policy = unsupported::error) {
  return prepare_graph(g, backend, mapping, resolve_qconfigs(g, mapping), policy);
}

}  // namespace ctq
