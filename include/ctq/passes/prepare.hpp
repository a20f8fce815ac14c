// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/passes/check_observers.hpp"
#include "ctq/passes/fixed_qparams.hpp"
#include "ctq/passes/observer_placement.hpp"
#include "ctq/passes/qat_modules.hpp"
#include "ctq/passes/rejection.hpp"
#include "ctq/passes/resolve_qconfig.hpp"

// prepare: for each occurrence of a backend pattern whose qconfig fits a dtype config, an observer
// comes before each input of its root and behind its last node; ops that keep their input's range
// share its observer. Observers become nodes; node::observer says which of them are one and the
// same. With is_qat they are fake quantizes, and modules become those that are trained with them.
//
// A node that has a qconfig which the backend cannot honour is an error, unless the caller says
// skip (then it stays in float, as in PyTorch).

namespace ctq {

namespace preparing {

class preparation {
 public:
  constexpr preparation(graph_view<stage::fused> g, const backend_view& backend,
                        const mapping_view& mapping, const list<int>& qconfigs,
                        const prepare_options& options)
      : g_(g),
        backend_(backend),
        mapping_(mapping),
        options_(options),
        qconfig_(qconfigs),
        indexed_(indexed_functions()),
        without_tensors_(planning::without_tensors(g)),
        matches_(find_all(
            g, backend, [](const backend_pattern_config_record&) { return true; },
            options.semantics)),
        type_of_(observation_types()),
        planned_(g, mapping, qconfigs, matches_, type_of_, without_tensors_, options),
        choice_(g.size()),
        placed_(g, options.semantics) {
    for (int i = 0; i < g.size(); ++i) choose(i);
    if (!patterns_may_be_split(options.semantics))
      for (const occurrence& o : matches_.found) agree(o);
    if (!rejected_patterns_promise_integers(options.semantics))
      for (int i = 0; i < g.size(); ++i)
        if (match_of(i) != nullptr && !choice_[i].quantized()) planned_.give_up(i);
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
    return placed_.graph([this](int i, node& n) {
      n.choice = choice_[i];
      if (n.op->kind == op_kind::placeholder && planned_[i].output != f32)
        n.dtype = planned_[i].output;
    });
  }

 private:
  [[nodiscard]] constexpr const occurrence* match_of(int i) const {
    const int which = matches_.of_node[i];
    return which < 0 ? nullptr : &matches_.found[which];
  }
  [[nodiscard]] constexpr const backend_pattern_config_record& config_of(
      const occurrence& o) const {
    return backend_.configs[o.config];
  }
  [[nodiscard]] constexpr bool has_qconfig(int i) const {
    return qconfig_[i] >= 0 && mapping_.entries[qconfig_[i]].quantizes;
  }
  [[nodiscard]] constexpr const qconfig_record& qconfig_of(int i) const {
    return mapping_.entries[qconfig_[i]].qconfig;
  }
  /// One node that is quantized by itself, whatever the backend's patterns.
  [[nodiscard]] constexpr bool is_leaf(int i) const {
    return standalone_of(options_, g_[i]) != nullptr || is_custom(options_, g_[i].op);
  }

  [[nodiscard]] constexpr list<observation_type> observation_types() const {
    list<observation_type> types(matches_.found.size());
    for (std::size_t k = 0; k < matches_.found.size(); ++k) {
      const occurrence& o = matches_.found[k];
      types[k] = config_of(o).observation_for(tensor_arguments(g_, o.root(), without_tensors_));
    }
    return types;
  }

  /// What the k-th argument of a function is, by its position or its keyword.
  [[nodiscard]] constexpr rejection::value kind_of(const input_index_record& index,
                                                   const argument_place& place) const {
    if (place.keyword == "weight" || (place.position >= 0 && place.position == index.weight))
      return rejection::value::weight;
    if (place.keyword == "bias" || (place.position >= 0 && place.position == index.bias))
      return rejection::value::bias;
    return rejection::value::input;
  }

  /// Where a function has its weight and its bias. As in PyTorch what a pattern of the function
  /// alone says holds for longer patterns as well.
  [[nodiscard]] constexpr input_index_record index_of(op_id op) const {
    if (op->kind != op_kind::function) return {};
    for (const int i : indexed_)
      if (backend_.configs[i].pattern.anchor() == op)
        return backend_.configs[i].input_type_to_index;
    return {};
  }

  /// The patterns of one function that say so.
  [[nodiscard]] constexpr list<int> indexed_functions() const {
    list<int> indexed;
    for (int i = 0; i < backend_.configs.count; ++i) {
      const input_index_record& index = backend_.configs.items[i].input_type_to_index;
      const bool says = index.input >= 0 || index.weight >= 0 || index.bias >= 0;
      if (says && backend_.configs[i].pattern.is_single()) indexed.push_back(i);
    }
    return indexed;
  }

  [[nodiscard]] constexpr root_arguments arguments_of(const occurrence& o) const {
    const node& root = g_[o.root()];
    const bool owns_weight = !weights_of_modules_are_unchecked(options_.semantics) &&
                             root.op->kind == op_kind::module &&
                             (config_of(o).root_module != nullptr || has_weight(root.op));
    root_arguments has{.activation = root.arg_count > 0, .weight = owns_weight};
    const input_index_record index = index_of(root.op);
    if (index == input_index_record{}) return has;
    has.activation = false;
    for (const argument_place& place : places_of(g_, o.root())) {
      const rejection::value kind = kind_of(index, place);
      has.activation = has.activation || kind == rejection::value::input;
      has.weight = has.weight || kind == rejection::value::weight;
      has.bias = has.bias || kind == rejection::value::bias;
    }
    return has;
  }

  /// Takes the first dtype config that fits, or remembers why none does.
  constexpr void choose(int i) {
    choice& c = choice_[i];
    const op_kind kind = g_[i].op->kind;
    if (kind == op_kind::placeholder || kind == op_kind::output || kind == op_kind::get_attr)
      return;
    c.qconfig = qconfig_[i];
    if (!has_qconfig(i)) {
      c.why.why = rejection::clause::no_qconfig;
      return;
    }
    if (is_leaf(i)) {
      c.dtype_config = 0;
      return;
    }
    const occurrence* const o = match_of(i);
    if (o == nullptr) {
      c.why.why = without_tensors_[i] ? rejection::clause::none : rejection::clause::no_pattern;
      return;
    }
    c.pattern = o->config;
    const backend_pattern_config_record& config = config_of(*o);
    if (config.dtype_configs.empty()) c.why.why = rejection::clause::no_pattern;
    const root_arguments has = arguments_of(*o);
    planned_dtypes root = planned_[o->root()];
    dtype output = planned_[o->last()].output;
    if (!patterns_may_be_split(options_.semantics) && root.input != dtype::none) {
      root = dtypes_of(qconfig_of(i));  // agree() asks the others
      output = root.output;
    }
    for (int k = 0; k < config.dtype_configs.size(); ++k) {
      rejection r = accepts(config.dtype_configs[k], has, root, output, qconfig_of(i));
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

  constexpr void observe(int i) {
    const op_kind kind = g_[i].op->kind;
    if (kind == op_kind::output) return observe_outputs(i);
    if (!choice_[i].quantized()) return;
    const occurrence* const o = match_of(i);
    if (is_leaf(i)) {
      choice_[i].observed = true;
      if (const standalone_module* const alone = standalone_of(options_, g_[i]))
        return observe_standalone(i, *alone);
      observe_inputs(i);
      return observe_output(i, nullptr, observation_type{});
    }
    for (const int n : o->nodes)
      if (n >= 0) choice_[n].observed = true;
    if (is_any_of(g_[i].op, op::getitem) && getitem_is_float(options_.semantics)) return;
    if (i == o->root()) observe_inputs(i);
    if (i == o->last()) observe_output(i, o, type_of_[matches_.of_node[i]]);
  }

  constexpr void observe_inputs(int i) {
    const node& n = g_[i];
    const input_index_record index = index_of(n.op);
    const bool uses_index = !(index == input_index_record{});
    const list<argument_place> places =
        uses_index || n.row != nullptr ? places_of(g_, i) : list<argument_place>{};
    for (int a = 0; a < n.arg_count; ++a) {
      const argument_place place = places.empty() ? argument_place{a} : places[a];
      observe_input(i, a, uses_index ? kind_of(index, place) : rejection::value::input,
                    places.empty() ? a == 0 : is_first(i, a, places));
    }
  }

  /// Is it the first positional argument, or the same value once more?
  [[nodiscard]] constexpr bool is_first(int i, int a, const list<argument_place>& places) const {
    for (int b = 0; b < g_[i].arg_count; ++b)
      if (places[b].position == 0 && !places[b].in_list)
        return g_.args_of(i)[a] == g_.args_of(i)[b];
    return false;
  }

  constexpr void observe_input(int i, int a, rejection::value kind, bool first) {
    const planned_dtypes& p = planned_[i];
    const qconfig_record& q = qconfig_of(i);
    const int producer = g_.args_of(i)[a];
    const bool is_weight = kind == rejection::value::weight;
    const app_instance with{is_weight ? &q.weight : &q.activation, qconfig_[i]};
    if (kind == rejection::value::input && p.is_dynamic) {
      if (first) placed_.add_before(g_[i].first_arg + a, with);
      return;
    }
    const dtype wanted = kind == rejection::value::input ? p.input : is_weight ? p.weight : p.bias;
    const dtype given = planned_[producer].output;
    if (is_weight && is_any_of(g_[i].op, fn::layer_norm, fn::group_norm, fn::instance_norm)) {
      if (norm_weights_are_observed(options_.semantics) &&
          q.activation.type != observer_class::reuse_input)
        placed_.add_before(g_[i].first_arg + a, with);
      return;
    }
    if (given == wanted || wanted == f32 || given == dtype::none || wanted == dtype::none ||
        q.activation.type == observer_class::reuse_input)
      return;
    placed_.add_before(g_[i].first_arg + a, with);
  }

  /// o: the occurrence that ends here; null for a custom module
  constexpr void observe_output(int i, const occurrence* o, observation_type type) {
    const dtype output = planned_[i].output;
    const qconfig_record& q = qconfig_of(i);
    const observer_args& act = q.for_output().args;
    const bool is_static = !act.is_dynamic && (act.dtype == quint8 || act.dtype == qint8 ||
                                               act.dtype == qint32 || act.dtype == f16);
    if (output == f32 || output == dtype::none || !is_static) return;
    const observer_record* record = &q.for_output();
    if (o != nullptr && act.dtype == quint8) {
      const backend_pattern_config_record& c = config_of(*o);
      const observer_record* const other =
          options_.is_qat ? c.overwrite_output_fake_quantize : c.overwrite_output_observer;
      if (other != nullptr) record = other;
    }
    placed_.add_behind(i, {record, qconfig_[i]});
    const bool shares = type == observation_type::output_share_observer_with_input &&
                        !reads_quantized_input(i, output);
    if (shares || q.activation.type == observer_class::reuse_input) placed_.share(i);
  }

  /// The first argument is an input of the model that is quantized already: observed elsewhere.
  [[nodiscard]] constexpr bool reads_quantized_input(int i, dtype output) const {
    if (output != options_.quantized_dtype || g_[i].arg_count == 0) return false;
    const int edge = g_[i].first_arg;
    return placed_.is_bare(edge) && g_[g_.args[edge]].op->kind == op_kind::placeholder;
  }

  constexpr void observe_standalone(int i, const standalone_module& alone) {
    const list<argument_place> places = places_of(g_, i);
    for (int a = 0; a < g_[i].arg_count; ++a) {
      const bool wants =
          places[a].position >= 0 && contains(alone.input_quantized_indexes, places[a].position);
      if (!wants || planned_[g_.args_of(i)[a]].output == options_.quantized_dtype) continue;
      placed_.add_before(g_[i].first_arg + a, {&qconfig_of(i).activation, qconfig_[i]});
    }
  }

  constexpr void observe_outputs(int i) {
    const view<int>& wanted = options_.output_quantized_indexes;
    if (wanted.empty()) return;
    for (int a = 0; a < g_[i].arg_count; ++a) {
      const int producer = g_.args_of(i)[a];
      if (!outputs_are_quantized_together(options_.semantics) && !contains(wanted, a)) continue;
      if (planned_[producer].output == options_.quantized_dtype || !has_qconfig(producer)) continue;
      placed_.add_before(g_[i].first_arg + a,
                         {&qconfig_of(producer).for_output(), qconfig_[producer]});
    }
  }

  graph_view<stage::fused> g_;
  backend_view backend_;
  mapping_view mapping_;
  const prepare_options& options_;
  list<int> qconfig_;
  list<int> indexed_;  // configs of functions that say where their weight and bias are
  list<bool> without_tensors_;
  occurrences matches_;
  list<observation_type> type_of_;  // by occurrence
  dtype_plan planned_;
  list<choice> choice_;
  observer_placement placed_;
};

}  // namespace preparing

/// Places the observers. problem says which qconfig cannot be honoured, and why.
///   qconfigs  by node: its entry of the mapping, as resolve_qconfigs finds it
[[nodiscard]] constexpr dynamic_graph<stage::prepared> prepare_graph(
    graph_view<stage::fused> g, const backend_view& backend, const mapping_view& mapping,
    const list<int>& qconfigs, const prepare_options& options) {
  dynamic_graph<stage::fused> trained;
  if (options.is_qat) {
    trained = swap_qat_modules(g, backend, mapping, qconfigs);
    g = trained.view();
  }
  const preparing::preparation prepared{g, backend, mapping, qconfigs, options};
  dynamic_graph<stage::prepared> out = prepared.graph();
  if (fused_types_want_one_qconfig(options.semantics)) out.problem = check_fused_types(g, mapping);
  if (fixed_qparams_ops_want_their_observer(options.semantics) && !out.problem.any())
    out.problem = check_fixed_qparams(g, mapping, qconfigs);
  if (!out.problem.any()) out.problem = check_conv_transpose_weights(g, mapping, qconfigs);
  const int bad = prepared.first_rejected();
  if (bad < 0 || options.policy == unsupported::skip || out.problem.any()) return out;
  node n = g[bad];
  n.choice = prepared.choice_of(bad);
  out.problem.line("the QConfig cannot be honoured:");
  out.problem.line("backend: ", backend.name).line("node: ", n.name);
  append_rejection(out.problem.text, n, backend);
  out.problem.line("to mean it: allow_float<", n.name, ">");
  return out;
}

[[nodiscard]] constexpr dynamic_graph<stage::prepared> prepare_graph(
    graph_view<stage::fused> g, const backend_view& backend, const mapping_view& mapping,
    const prepare_options& options = {}) {
  return prepare_graph(g, backend, mapping, resolve_qconfigs(g, mapping, options.semantics),
                       options);
}

[[nodiscard]] constexpr dynamic_graph<stage::prepared> prepare_graph(graph_view<stage::fused> g,
                                                                     const backend_view& backend,
                                                                     const mapping_view& mapping,
                                                                     unsupported policy) {
  return prepare_graph(g, backend, mapping, prepare_options{.policy = policy});
}

}  // namespace ctq
