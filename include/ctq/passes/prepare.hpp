// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/passes/check_fixed_qparams.hpp"
#include "ctq/passes/check_observers.hpp"
#include "ctq/passes/dtype_choice.hpp"
#include "ctq/passes/observer_placement.hpp"
#include "ctq/passes/qat_modules.hpp"
#include "ctq/passes/rejection_text.hpp"
#include "ctq/passes/resolve_qconfig.hpp"

// prepare: for each occurrence of a backend pattern whose qconfig fits a dtype config, observers
// are inserted before the inputs of its root and after its last node; ops whose output has the
// range of their input share its observer. Observers are nodes; those with the same node::observer
// are the same instance. With is_qat they are fake quantizes, and modules become QAT modules.
// A qconfig that the backend cannot honour is an error; with the policy `skip` its node is float.

namespace ctq {

namespace preparing {

template <class Graph, class QConfigs>
class preparation {
 public:
  ///   matches  those of all patterns
  constexpr preparation(const Graph& g, const backend_view& backend, const mapping_view& mapping,
                        const QConfigs& qconfigs, const occurrences<Graph>& matches,
                        const prepare_options& options)
      : g_(g),
        mapping_(mapping),
        qconfig_(qconfigs),
        matches_(matches),
        options_(options),
        choices_(g, backend, mapping, qconfigs, matches, options),
        placed_(g, options.semantics) {
    plan_dtypes(g, backend, mapping, qconfigs, matches, options, plan_);
    choices_.choose(plan_);
    if (!rejected_patterns_count_as_quantized(options.semantics))
      for (int i = 0; i < g.count; ++i)
        if (matches.of_node[i] >= 0 && choices_.of_node[i].dtype_config == -1) plan_.keep_float(i);
    for (int i = 0; i < g.count; ++i) observe(i);
  }

  /// The first node whose qconfig cannot be honoured, or -1; those of a rejected pattern last.
  [[nodiscard]] constexpr int first_rejected() const {
    int consequence = -1;
    for (int i = 0; i < g_.count; ++i) {
      const rejection::clause why = choices_.of_node[i].why.why;
      if (why == rejection::clause::none || why == rejection::clause::no_qconfig) continue;
      if (why != rejection::clause::pattern_part) return i;
      if (consequence < 0) consequence = i;
    }
    return consequence;
  }

  [[nodiscard]] constexpr const choice& choice_of(int i) const { return choices_.of_node[i]; }

  /// PyTorch 1.13: a node that is to be a quantized output, without a qconfig that fits; or -1.
  [[nodiscard]] constexpr int unfit_output() const { return unfit_output_; }

  /// Writes the graph with the observers in it, and custom modules in their observed form.
  template <class Out>
  constexpr void write(Out& out) const {
    placed_.write(choices_.of_node, plan_, out);
    const view<int>& inputs = options_.custom.input_quantized_indexes;
    for (int i = 0, input = 0; !inputs.empty() && i < out.size(); ++i)
      if (out.nodes[i].op->kind == op_kind::placeholder && contains(inputs, input++))
        out.nodes[i].dtype = options_.quantized_dtype;
    for (int i = 0; !options_.custom.custom_modules.empty() && i < out.size(); ++i) {
      node& n = out.nodes[i];
      if (n.op->kind != op_kind::module || !n.choice.observed) continue;
      const qconfig_record& q = mapping_.entries[n.choice.qconfig].qconfig;
      const custom_module* const custom = custom_of(options_, n.op, q);
      if (custom != nullptr) to_observed_form(out, i, *custom, q.activation);
      if (custom == nullptr && custom_of(options_, n.op) != nullptr && !out.problem.any())
        out.problem.line("a custom module has no observed class")
            .line("for the QConfig of its node")
            .line("node: ", n.name);
    }
  }

 private:
  constexpr void observe(int i) {
    if (g_.nodes[i].op->kind == op_kind::output) return observe_outputs(i);
    if (choices_.of_node[i].dtype_config == -1) return;
    const bool in_tuple = choices_.has_leaves && choices_.is_in_tuple(i);
    if (choices_.has_leaves && choices_.is_leaf(i)) {
      choices_.of_node[i].observed = true;
      if (const standalone_module* const alone = standalone_of(options_, g_.nodes[i]))
        return observe_standalone(i, *alone);
      observe_inputs(i);
      return in_tuple ? void() : observe_output(i, -1);
    }
    if (in_tuple) return;
    const int k = matches_.of_node[i];
    const int first = matches_.found[k].first;
    for (int e = first; e < first + matches_.found[k].count; ++e)
      if (matches_.part[e] >= 0) choices_.of_node[matches_.part[e]].observed = true;
    if (getitem_is_float(options_.semantics) && is_any_of(g_.nodes[i].op, op::getitem)) return;
    if (matches_.root(k) == i) observe_inputs(i);
    if (matches_.last(k) == i) observe_output(i, k);
  }

  constexpr void observe_inputs(int i) {
    const int index = choices_.index_of(i);
    if (index < 0 && g_.nodes[i].row == nullptr) {
      for (int a = 0; a < g_.nodes[i].arg_count; ++a)
        observe_input(i, a, rejection::value::input, a == 0);
      return;
    }
    const list<argument_place> places = places_of(g_, i);
    const int first_value = first_positional(i, places);
    for (int a = 0; a < g_.nodes[i].arg_count; ++a)
      observe_input(i, a, index < 0 ? rejection::value::input : choices_.kind_of(index, places[a]),
                    g_.args[g_.nodes[i].first_arg + a] == first_value);
  }

  /// The node that is the first positional argument, or -1.
  [[nodiscard]] constexpr int first_positional(int i, const list<argument_place>& places) const {
    for (int a = 0; a < g_.nodes[i].arg_count; ++a)
      if (places[a].position == 0 && !places[a].in_list) return g_.args[g_.nodes[i].first_arg + a];
    return -1;
  }

  constexpr void observe_input(int i, int a, rejection::value kind, bool first) {
    const int edge = g_.nodes[i].first_arg + a;
    const bool is_weight = kind == rejection::value::weight;
    if (kind == rejection::value::input && plan_.dtypes[i].is_dynamic) {
      if (first) placed_.add_before(edge, &choices_.qconfig_of(i).activation, qconfig_[i]);
      return;
    }
    if (is_weight && g_.nodes[i].op->descriptor->weights == op_weights::in_float) {
      if (norm_weights_are_observed(options_.semantics) && !reuses_input(i))
        placed_.add_before(edge, &choices_.qconfig_of(i).weight, qconfig_[i]);
      return;
    }
    const dtype wanted = kind == rejection::value::input ? plan_.dtypes[i].input
                         : is_weight                     ? plan_.dtypes[i].weight
                                                         : plan_.dtypes[i].bias;
    const dtype given = plan_.dtypes[g_.args[edge]].output;
    if (given == wanted || wanted == f32 || given == dtype::none || wanted == dtype::none ||
        reuses_input(i))
      return;
    const qconfig_record& q = choices_.qconfig_of(i);
    placed_.add_before(edge, is_weight ? &q.weight : &q.activation, qconfig_[i]);
  }
  [[nodiscard]] constexpr bool reuses_input(int i) const {
    return choices_.qconfig_of(i).activation.type == observer_class::reuse_input;
  }

  ///   k  the occurrence that ends here; -1 for a leaf
  constexpr void observe_output(int i, int k) {
    const dtype output = plan_.dtypes[i].output;
    if (output == f32 || output == dtype::none) return;
    const observer_record* record = &choices_.qconfig_of(i).for_output();
    const dtype wanted = record->args.dtype;
    if (record->args.is_dynamic ||
        (wanted != quint8 && wanted != qint8 && wanted != qint32 && wanted != f16))
      return;
    if (k >= 0 && wanted == quint8) {
      const backend_pattern_config_record& c = choices_.config_of(k);
      const view<observer_record>& other =
          options_.is_qat ? c.overwrite_output_fake_quantize : c.overwrite_output_observer;
      if (!other.empty()) record = &other[0];
    }
    placed_.add_after(i, record, qconfig_[i]);
    const bool shares =
        k >= 0 && plan_.observed_as[k] == observation_type::output_share_observer_with_input;
    if ((shares && !reads_quantized_input(i, output)) || reuses_input(i)) placed_.share(i);
  }

  /// Whether the first argument, not one of a list, is a quantized input, which no observer sees.
  [[nodiscard]] constexpr bool reads_quantized_input(int i, dtype output) const {
    const node& n = g_.nodes[i];
    if (output != options_.quantized_dtype || n.arg_count == 0 || !placed_.is_bare(n.first_arg))
      return false;
    return g_.nodes[g_.args[n.first_arg]].op->kind == op_kind::placeholder &&
           !(n.row == nullptr ? n.op->descriptor->takes_list : places_of(g_, i)[0].in_list);
  }

  constexpr void observe_standalone(int i, const standalone_module& alone) {
    const list<argument_place> places = places_of(g_, i);
    for (int a = 0; a < g_.nodes[i].arg_count; ++a) {
      const int edge = g_.nodes[i].first_arg + a;
      const bool wants = places[a].position >= 0 &&
                         contains(alone.custom.input_quantized_indexes, places[a].position);
      if (wants && plan_.dtypes[g_.args[edge]].output != options_.quantized_dtype)
        placed_.add_before(edge, &choices_.qconfig_of(i).activation, qconfig_[i]);
    }
  }

  constexpr void observe_outputs(int i) {
    const view<int>& wanted = options_.custom.output_quantized_indexes;
    if (wanted.empty()) return;
    const list<int> index = output_indexes(g_, i);
    for (int a = 0; a < g_.nodes[i].arg_count; ++a) {
      const int edge = g_.nodes[i].first_arg + a;
      const int producer = g_.args[edge];
      if (!outputs_are_quantized_together(options_.semantics) && !contains(wanted, index[a]))
        continue;
      if (plan_.dtypes[producer].output == options_.quantized_dtype) continue;
      const bool in_1_13 = outputs_are_quantized_together(options_.semantics);
      const bool fits = plan_.has_qconfig[producer] && (!in_1_13 || placed_.is_bare(edge));
      if (!fits && in_1_13) unfit_output_ = producer;
      if (fits)
        placed_.add_own(edge, &choices_.qconfig_of(producer).for_output(), qconfig_[producer]);
    }
  }

  const Graph& g_;
  mapping_view mapping_;
  const QConfigs& qconfig_;
  const occurrences<Graph>& matches_;
  const prepare_options& options_;
  dtype_plan<Graph> plan_{};
  dtype_choice<Graph, QConfigs> choices_;
  observer_placement<Graph> placed_;
  int unfit_output_ = -1;
};

}  // namespace preparing

/// Writes the graph with observers, and to out.problem a qconfig that cannot be honoured, and why.
///   patterns  all of the backend
///   qconfigs  by node: its entry of the mapping, as resolve_qconfigs finds it
template <graph_at<stage::fused> Graph, class Patterns, class QConfigs, class Out>
constexpr void prepare_into(const Graph& g, const backend_view& backend, const Patterns& patterns,
                            const mapping_view& mapping, const QConfigs& qconfigs,
                            const prepare_options& options, Out& out) {
  occurrences<Graph> matches;
  find_all(g, patterns, options.semantics, matches);
  const preparing::preparation<Graph, QConfigs> prepared{g,        backend, mapping,
                                                         qconfigs, matches, options};
  prepared.write(out);
  if (!out.problem.any()) out.problem = check_conv_transpose_weights(g, mapping, qconfigs);
  if (const int unfit = prepared.unfit_output(); unfit >= 0 && !out.problem.any())
    out.problem.line("node ", g.nodes[unfit].name, ":").line("no qconfig for a quantized output");
  const int bad = prepared.first_rejected();
  if (bad < 0 || options.policy == unsupported::skip || out.problem.any()) return;
  node n = g.nodes[bad];
  n.choice = prepared.choice_of(bad);
  out.problem.line("the QConfig cannot be honoured:");
  out.problem.line("backend: ", backend.name).line("node: ", n.name);
  append_rejection(out.problem.text, n, backend);
  if (n.choice.why.why == rejection::clause::exact_match)
    out.problem.line("to quantize it: use its entry of").line("default_qconfig_mapping");
  out.problem.line("to keep it in float:").line("allow_float<", n.name, ">");
}

/// The errors that PyTorch 1.13 raises before it inserts an observer.
template <class QConfigs>
[[nodiscard]] constexpr diagnostic check_before_prepare(graph_view<stage::fused> g,
                                                        const mapping_view& mapping,
                                                        const QConfigs& qconfigs,
                                                        const prepare_options& options) {
  diagnostic d;
  if (fused_types_require_one_qconfig(options.semantics)) d = check_fused_types(g, mapping);
  if (fixed_qparams_ops_require_their_observer(options.semantics) && !d.any())
    d = check_fixed_qparams(g, mapping, qconfigs);
  const view<int>& outputs = options.custom.output_quantized_indexes;
  if (outputs_are_quantized_together(options.semantics) && !d.any() &&
      !(outputs.empty() || (outputs.size() == 1 && outputs[0] == 0)))
    d.line("output_quantized_indexes can only be [0],").line("which means all outputs");
  return d;
}

/// The prepared graph: the fused one with observers or fake quantizes; qconfigs as in prepare_into.
/// Errors  in the result: as prepare_into and check_before_prepare
template <class Out = dynamic_graph<stage::prepared>>
[[nodiscard]] constexpr Out prepare_graph(graph_view<stage::fused> g, const backend_view& backend,
                                          const mapping_view& mapping, const list<int>& qconfigs,
                                          const prepare_options& options) {
  dynamic_graph<stage::fused> trained;
  if (options.is_qat) {
    trained = swap_qat_modules(g, backend, mapping, qconfigs, options.semantics);
    g = trained.view();
  }
  Out out;
  out.problem = check_before_prepare(g, mapping, qconfigs, options);
  dynamic_pattern_index patterns;
  index_patterns(backend, indexing::any, patterns);
  prepare_into(g, backend, patterns, mapping, qconfigs, options, out);
  return out;
}

template <class Out = dynamic_graph<stage::prepared>>
[[nodiscard]] constexpr Out prepare_graph(graph_view<stage::fused> g, const backend_view& backend,
                                          const mapping_view& mapping,
                                          const prepare_options& options = {}) {
  return prepare_graph<Out>(g, backend, mapping, resolve_qconfigs(g, mapping, options.semantics),
                            options);
}

template <class Out = dynamic_graph<stage::prepared>>
[[nodiscard]] constexpr Out prepare_graph(graph_view<stage::fused> g, const backend_view& backend,
                                          const mapping_view& mapping, unsupported policy) {
  return prepare_graph<Out>(g, backend, mapping, prepare_options{.policy = policy});
}

}  // namespace ctq
