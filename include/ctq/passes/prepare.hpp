// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/passes/accept.hpp"
#include "ctq/passes/match.hpp"
#include "ctq/passes/resolve_qconfig.hpp"

// Observer placement. For each occurrence of a backend pattern whose qconfig fits a dtype config,
// an observer comes before each input of its root and behind its last node; ops that keep their
// input's range share its observer. Observers become nodes; their number in node::observer says
// which of them are one and the same.
//
// A node that has a qconfig which the backend cannot honour is an error, unless the caller says
// skip (then it stays in float, as in PyTorch).

namespace ctq {

enum class unsupported : unsigned char { error, skip };

namespace preparing {

struct observed_value {
  int producer{};  // node of the fused graph
  int instance{};  // which observer
};

class placement {
 public:
  constexpr placement(graph_view<stage::fused> g, const backend_view& backend,
                      const mapping_view& mapping)
      : g_(g),
        backend_(backend),
        mapping_(mapping),
        qconfig_(resolve_qconfigs(g, mapping)),
        matches_(find_all(g, backend, [](const backend_pattern_config_record&) { return true; })),
        choice_(size_of(g.size())),
        behind_(size_of(g.size()), -1),
        before_(total_args(g), -1) {
    for (int i = 0; i < g.size(); ++i) choose(i);
    for (int i = 0; i < g.size(); ++i) observe(i);
  }

  /// The first node whose qconfig cannot be honoured, or -1.
  [[nodiscard]] constexpr int first_rejected() const {
    for (int i = 0; i < g_.size(); ++i) {
      const rejection::clause why = choice_[size_of(i)].why.why;
      if (why != rejection::clause::none && why != rejection::clause::no_qconfig) return i;
    }
    return -1;
  }

  [[nodiscard]] constexpr const choice& choice_of(int i) const { return choice_[size_of(i)]; }

  /// The graph with the observers in it.
  [[nodiscard]] constexpr dynamic_graph<stage::prepared> graph() const {
    dynamic_graph<stage::prepared> out;
    list<int> number(instance_qconfig_.size(), -1);  // observers in use, counted in graph order
    list<int> moved(size_of(g_.size()), -1);
    list<int> app_node(apps_.size(), -1);
    for (int i = 0; i < g_.size(); ++i) {
      node n = g_[i];
      n.choice = choice_[size_of(i)];
      list<int> args;
      for (int a = 0; a < n.arg_count; ++a)
        args.push_back(source(size_of(n.first_arg + a), moved, app_node));
      moved[size_of(i)] = out.add(n, args);
      for (std::size_t a = 0; a < apps_.size(); ++a) {
        if (apps_[a].producer != i) continue;
        int& id = number[size_of(apps_[a].instance)];
        if (id < 0) id = out.observers++;
        const int behind = behind_[size_of(i)];
        const bool chained = behind >= 0 && behind != static_cast<int>(a);
        app_node[a] = out.add(app(a, id), chained ? app_node[size_of(behind)] : moved[size_of(i)]);
      }
    }
    return out;
  }

 private:
  static constexpr std::size_t size_of(int i) { return static_cast<std::size_t>(i); }
  static constexpr std::size_t total_args(graph_view<stage::fused> g) {
    std::size_t n = 0;
    for (int i = 0; i < g.size(); ++i) n += size_of(g[i].arg_count);
    return n;
  }

  [[nodiscard]] constexpr const occurrence* match_of(int i) const {
    const int which = matches_.of_node[size_of(i)];
    return which < 0 ? nullptr : &matches_.found[size_of(which)];
  }

  /// Takes the first dtype config that fits, or remembers why none does.
  constexpr void choose(int i) {
    choice& c = choice_[size_of(i)];
    const op_kind kind = g_[i].op->kind;
    if (kind == op_kind::placeholder || kind == op_kind::output) return;
    c.qconfig = qconfig_[size_of(i)];
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
    for (int k = 0; k < config.dtype_config_count; ++k) {
      const rejection r = accepts(backend_.dtype_configs[config.first_dtype_config + k],
                                  mapping_.entries[c.qconfig].qconfig,
                                  config.root_module != nullptr);
      if (r.why == rejection::clause::none) {
        c.dtype_config = k;
        c.why = {};
        return;
      }
      if (k == 0) c.why = r;
    }
    if (config.dtype_config_count == 0) c.why.why = rejection::clause::no_pattern;
  }

  [[nodiscard]] constexpr const observer_record& activation_of(int qconfig) const {
    return mapping_.entries[qconfig].qconfig.activation;
  }

  constexpr int add_app(int producer, int qconfig) {
    instance_qconfig_.push_back(qconfig);
    apps_.push_back({producer, static_cast<int>(instance_qconfig_.size()) - 1});
    return static_cast<int>(apps_.size()) - 1;
  }

  constexpr void observe(int i) {
    const occurrence* const o = match_of(i);
    if (o == nullptr) return;
    const choice& root = choice_[size_of(o->root())];
    const choice& last = choice_[size_of(o->last())];
    if (!root.quantized() || !last.quantized()) {
      if (root.quantized() || last.quantized()) choice_[size_of(i)] = root.quantized() ? last : root;
      return;
    }
    const backend_pattern_config_record& config = backend_.configs[o->config];
    const observation_type type = config.observation_for(g_[o->root()].arg_count);
    if (type == observation_type::input_output_not_observed) return;
    if (i == o->root()) observe_inputs(i, root.qconfig);
    if (i == o->last()) {
      behind_[size_of(i)] = add_app(i, last.qconfig);
      if (type == observation_type::output_share_observer_with_input) share(i);
    }
  }

  /// What an argument carries: the observer behind its producer, if there is one.
  [[nodiscard]] constexpr const observer_record* carried(int producer) const {
    const int app = behind_[size_of(producer)];
    return app < 0 ? nullptr : &activation_of(instance_qconfig_[size_of(apps_[size_of(app)].instance)]);
  }

  constexpr void observe_inputs(int i, int qconfig) {
    const node& n = g_[i];
    for (int a = 0; a < n.arg_count; ++a) {
      const std::size_t edge = size_of(n.first_arg + a);
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
    for (std::size_t a = 0; a < apps_.size(); ++a)
      if (apps_[a].producer == producer && behind_[size_of(producer)] != static_cast<int>(a) &&
          activation_of(instance_qconfig_[size_of(apps_[a].instance)]) == activation_of(qconfig))
        return static_cast<int>(a);
    return -1;
  }

  /// The first observer met when climbing from an argument towards the inputs, or -1.
  [[nodiscard]] constexpr int climb(std::size_t edge) const {
    for (;;) {
      if (before_[edge] >= 0) return before_[edge];
      const int producer = g_.args[edge];
      if (behind_[size_of(producer)] >= 0) return behind_[size_of(producer)];
      if (g_[producer].arg_count == 0) return -1;
      edge = size_of(g_[producer].first_arg);
    }
  }

  /// Gives the output of i, and all its inputs, the observer of its first input.
  constexpr void share(int i) {
    const node& n = g_[i];
    const int first = n.arg_count > 0 ? climb(size_of(n.first_arg)) : -1;
    if (first < 0) {  // nothing to share with: PyTorch takes the output's observer away
      apps_[size_of(behind_[size_of(i)])].producer = -1;
      behind_[size_of(i)] = -1;
      return;
    }
    const int instance = apps_[size_of(first)].instance;
    apps_[size_of(behind_[size_of(i)])].instance = instance;
    if (!is_any_of(n.op, fn::cat)) return;  // of other ops only the first argument is linked
    for (int a = 1; a < n.arg_count; ++a) {
      const int other = climb(size_of(n.first_arg + a));
      if (other >= 0) apps_[size_of(other)].instance = instance;
    }
  }

  [[nodiscard]] constexpr int source(std::size_t edge, const list<int>& moved,
                                     const list<int>& app_node) const {
    const int producer = g_.args[edge];
    if (before_[edge] >= 0) return app_node[size_of(before_[edge])];
    const int behind = behind_[size_of(producer)];
    return behind >= 0 ? app_node[size_of(behind)] : moved[size_of(producer)];
  }

  [[nodiscard]] constexpr node app(std::size_t a, int id) const {
    node n{.name = q::activation_post_process.name,
           .number = static_cast<int>(a),
           .op = q::activation_post_process.id()};
    n.shape = g_[apps_[a].producer].shape;
    n.choice.qconfig = instance_qconfig_[size_of(apps_[a].instance)];
    n.observer = id;
    return n;
  }

  graph_view<stage::fused> g_;
  backend_view backend_;
  mapping_view mapping_;
  list<int> qconfig_;
  occurrences matches_;
  list<choice> choice_;
  list<int> behind_;  // by node: the observer of its output
  list<int> before_;  // by argument: an observer of its own
  list<observed_value> apps_;
  list<int> instance_qconfig_;  // by observer: the entry of the mapping that made it
};

}  // namespace preparing

/// Appends the lines that say why a node is left in float.
template <class Text>
constexpr void append_rejection(Text& out, const node& n, const backend_view& backend) {
  constexpr std::string_view values[] = {"input", "output", "weight"};
  const rejection& r = n.choice.why;
  const std::string_view of = values[static_cast<std::size_t>(r.of)];
  const auto asked = static_cast<long>(r.asked);
  const auto allowed = static_cast<long>(r.allowed);
  if (n.choice.pattern >= 0) {
    out.append("\npattern: ");
    append_pattern(out, backend.configs[n.choice.pattern].pattern);
    append_all(out, "\ndtype_config: #0 of ",
               backend.configs[n.choice.pattern].dtype_config_count, "\n");
  } else {
    out.append("\n");
  }
  switch (r.why) {
    case rejection::clause::none: break;
    case rejection::clause::no_qconfig: out.append("qconfig: none"); break;
    case rejection::clause::no_pattern:
      append_all(out, "no pattern with a dtype config for\n", n.op->name);
      break;
    case rejection::clause::dtype:
      append_all(out, of, ".dtype: ", name_of(static_cast<dtype>(asked)),
                 "\nthe backend allows: ", name_of(static_cast<dtype>(allowed)));
      break;
    case rejection::clause::is_dynamic:
      append_all(out, "is_dynamic: ", asked, "\nthe backend allows: ", allowed);
      break;
    case rejection::clause::quant_min:
      append_all(out, of, ".quant_min: ", asked, "\nthe backend allows: >= ", allowed);
      break;
    case rejection::clause::quant_max:
      append_all(out, of, ".quant_max: ", asked, "\nthe backend allows: <= ", allowed);
      break;
    case rejection::clause::scale_min:
      append_all(out, of, ".eps is below the backend's\nscale_min");
      break;
    case rejection::clause::no_range:
      append_all(out, of, ": the observer has no quant_min\nand quant_max");
      break;
  }
}

/// Places the observers. problem says which qconfig cannot be honoured, and why.
[[nodiscard]] constexpr dynamic_graph<stage::prepared> prepare_graph(
    graph_view<stage::fused> g, const backend_view& backend, const mapping_view& mapping,
    unsupported policy = unsupported::error) {
  const preparing::placement placed{g, backend, mapping};
  dynamic_graph<stage::prepared> out = placed.graph();
  const int bad = placed.first_rejected();
  if (bad < 0 || policy == unsupported::skip) return out;
  node n = g[bad];
  n.choice = placed.choice_of(bad);
  out.problem.line("the QConfig cannot be honoured:");
  out.problem.line("backend: ", backend.name).line("node: ", n.name);
  append_rejection(out.problem.text, n, backend);
  out.problem.line("to mean it: allow_float<", n.name, ">");
  return out;
}

}  // namespace ctq
