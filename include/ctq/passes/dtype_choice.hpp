// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/integers.hpp"
#include "ctq/passes/planned_dtypes.hpp"
#include "ctq/spec/op_index.hpp"

// Chooses the dtype config of a node: the first one of its pattern that fits its qconfig; or keeps
// the reason why none does. An occurrence is quantized as a whole or not at all.

namespace ctq::preparing {

template <class Graph, class QConfigs>
class dtype_choice {
 public:
  constexpr dtype_choice(const Graph& g, const backend_view& backend, const mapping_view& mapping,
                         const QConfigs& qconfigs, const occurrences<Graph>& matches,
                         const prepare_options& options)
      : g_(g),
        backend_(backend),
        mapping_(mapping),
        qconfig_(qconfigs),
        matches_(matches),
        options_(options),
        whole_patterns_(!patterns_may_be_split(options.semantics)) {
    has_leaves = options.custom.has_leaves();
    resize(of_node, g.count);
    for (int i = backend.configs.count; i-- > 0;) {  // so that find returns the first of several
      const backend_pattern_config_record& c = backend.configs.items[i];
      if (c.pattern.is_single() && c.input_type_to_index != input_index_record{})
        indexed_.add(c.pattern.anchor(), i);
    }
  }

  constexpr void choose(const dtype_plan<Graph>& plan) {
    for (int i = 0; i < g_.count; ++i) choose(i, plan);
    if (whole_patterns_)
      for (int k = 0; k < matches_.count; ++k) reject_incomplete(k);
  }

  [[nodiscard]] constexpr const backend_pattern_config_record& config_of(int occurrence) const {
    return backend_.configs.items[matches_.found[occurrence].config];
  }
  /// Requires  the node has a qconfig
  [[nodiscard]] constexpr const qconfig_record& qconfig_of(int i) const {
    return mapping_.entries[qconfig_[i]].qconfig;
  }

  /// By node: the decision.
  scratch_array<choice, Graph::max_nodes> of_node{};
  /// Whether there may be nodes for which is_leaf or is_in_tuple holds.
  bool has_leaves{};

  /// Whether the node is quantized by itself, independently of the backend's patterns.
  [[nodiscard]] constexpr bool is_leaf(int i) const { return ctq::is_leaf(options_, g_.nodes[i]); }

  /// Whether the node is the output of a custom module, or an item of it, that is not observed.
  [[nodiscard]] constexpr bool is_in_tuple(int i) const {
    return is_in_quantized_tuple(g_, mapping_, qconfig_, options_, i);
  }

  /// The config with the positions of weight and bias of the function at i, or -1. As in PyTorch
  /// the one for the function alone also holds for longer patterns.
  [[nodiscard]] constexpr int index_of(int i) const {
    return g_.nodes[i].op->kind == op_kind::function ? indexed_.find(g_.nodes[i].op) : -1;
  }

  /// Whether the argument of a function at this place is an input, the weight or the bias.
  ///   config  as index_of finds it
  [[nodiscard]] constexpr rejection::value kind_of(int config, const argument_place& place) const {
    const input_index_record& index = backend_.configs[config].input_type_to_index;
    if (place.keyword == "weight" || (place.position >= 0 && place.position == index.weight))
      return rejection::value::weight;
    if (place.keyword == "bias" || (place.position >= 0 && place.position == index.bias))
      return rejection::value::bias;
    return rejection::value::input;
  }

 private:
  [[nodiscard]] constexpr root_arguments arguments_of(int occurrence) const {
    const int root = matches_.root(occurrence);
    const op_id op = g_.nodes[root].op;
    root_arguments has;
    has.activation = g_.nodes[root].arg_count > 0;
    has.weight = op->kind == op_kind::module &&
                 !weights_of_modules_are_unchecked(options_.semantics) &&
                 (config_of(occurrence).root_module != nullptr ||
                  (op->descriptor->parameters != nullptr &&
                   op->descriptor->weights == op_weights::quantizable));
    const int index = index_of(root);
    if (index < 0) return has;
    has.activation = false;
    for (const argument_place& place : places_of(g_, root)) {
      const rejection::value kind = kind_of(index, place);
      has.activation = has.activation || kind == rejection::value::input;
      has.weight = has.weight || kind == rejection::value::weight;
      has.bias = has.bias || kind == rejection::value::bias;
    }
    return has;
  }

  /// Whether a node computes integers from integers: a QConfig does not concern it.
  [[nodiscard]] static constexpr bool is_left_alone(const node& n) {
    return is_index(n.dtype) && keeps_integers(*n.op->descriptor);
  }

  /// Chooses the first dtype config that fits, or keeps the reason why none does.
  constexpr void choose(int i, const dtype_plan<Graph>& plan) {
    const op_kind kind = g_.nodes[i].op->kind;
    if (kind == op_kind::placeholder || kind == op_kind::output || kind == op_kind::get_attr)
      return;
    of_node[i].qconfig = qconfig_[i];
    const int k = matches_.of_node[i];
    if (!plan.has_qconfig[i]) {
      of_node[i].why.why = rejection::clause::no_qconfig;
    } else if (has_leaves && (is_leaf(i) || is_in_tuple(i))) {
      of_node[i].dtype_config = 0;
    } else if (k >= 0) {
      of_node[i].pattern = matches_.found[k].config;
      choose_config(i, k, plan);
    } else if (!plan.without_tensors[i] && !is_left_alone(g_.nodes[i])) {
      of_node[i].why.why = rejection::clause::no_pattern;
    }
  }

  constexpr void choose_config(int i, int k, const dtype_plan<Graph>& plan) {
    const root_arguments has = arguments_of(k);
    // If patterns are accepted as a whole, only the node's own qconfig matters here, as
    // reject_incomplete() compares the others; so the result is cached.
    const bool asks_alone = whole_patterns_ && plan.dtypes[matches_.root(k)].input != dtype::none;
    const int slot = matches_.found[k].config % cache_size;
    const bool known = asks_alone && cached_config_[slot] == matches_.found[k].config &&
                       cached_qconfig_[slot] == qconfig_[i] &&
                       cached_arguments_[slot] == has.bits();
    if (!known) {
      cached_choice_[slot] = first_accepting_config(i, k, has, asks_alone, plan);
      cached_config_[slot] = asks_alone ? matches_.found[k].config : -1;
      cached_qconfig_[slot] = qconfig_[i];
      cached_arguments_[slot] = has.bits();
    }
    of_node[i].dtype_config = cached_choice_[slot].dtype_config;
    if (cached_choice_[slot].dtype_config == -1) of_node[i].why = cached_choice_[slot].why;
  }

  /// Only dtype_config and why are filled in.
  [[nodiscard]] constexpr choice first_accepting_config(int i, int k, const root_arguments& has,
                                                        bool asks_alone,
                                                        const dtype_plan<Graph>& plan) const {
    choice c;
    const backend_pattern_config_record& config = config_of(k);
    if (config.dtype_configs.empty()) c.why.why = rejection::clause::no_pattern;
    planned_dtypes root = plan.dtypes[matches_.root(k)];
    dtype output = plan.dtypes[matches_.last(k)].output;
    if (asks_alone) {
      root = dtypes_of(qconfig_of(i));
      output = root.output;
    }
    for (int d = 0; d < config.dtype_configs.size(); ++d) {
      rejection r = accepts(config.dtype_configs[d], has, root, output, qconfig_of(i));
      if (r.why == rejection::clause::none) {
        c.dtype_config = d;
        c.why = {};
        return c;
      }
      r.dtype_config = d;
      if (d == 0 || (is_about_kind(c.why.why) && !is_about_kind(r.why))) c.why = r;
    }
    return c;
  }

  /// Whether the mismatch is one of dtypes. A config with only a mismatch of bounds comes closer.
  static constexpr bool is_about_kind(rejection::clause c) {
    return c == rejection::clause::dtype || c == rejection::clause::is_dynamic;
  }

  /// An occurrence is quantized as a whole or not at all.
  constexpr void reject_incomplete(int k) {
    const int first = matches_.found[k].first;
    const int end = first + matches_.found[k].count;
    bool all = true;
    for (int e = first; e < end; ++e)
      all = all && (matches_.part[e] < 0 || of_node[matches_.part[e]].dtype_config >= 0);
    if (all) return;
    for (int e = first; e < end; ++e) {
      const int n = matches_.part[e];
      if (n < 0 || of_node[n].dtype_config == -1) continue;
      of_node[n].dtype_config = -1;
      of_node[n].why.why = rejection::clause::pattern_part;
    }
  }

  static constexpr int cache_size = 64;

  const Graph& g_;
  backend_view backend_;
  mapping_view mapping_;
  const QConfigs& qconfig_;
  const occurrences<Graph>& matches_;
  const prepare_options& options_;
  bool whole_patterns_{};
  op_index indexed_;                    // configs with input_type_to_index, by function
  choice cached_choice_[cache_size]{};  // by config: the last result of first_accepting_config()
  int cached_config_[cache_size]{};
  int cached_qconfig_[cache_size]{};
  int cached_arguments_[cache_size]{};
};

}  // namespace ctq::preparing
