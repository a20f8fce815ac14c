// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/argument_places.hpp"
#include "ctq/passes/check_dtype_config.hpp"
#include "ctq/passes/lstm_outputs.hpp"
#include "ctq/passes/match.hpp"
#include "ctq/passes/prepare_options.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// The dtypes that the values of each node would have if every qconfig were honoured, before any
// decision: from the qconfigs, from the options for inputs and outputs, and from ops with arguments
// that are not tensors of numbers, such as the sizes of a reshape.

namespace ctq {

namespace planning {

/// Whether the node is x.shape or x.ndim.
constexpr bool asks_for_shape(const node& n) {
  bool asks = false;
  if (is_any_of(n.op, fn::getattr))
    for (const argument& a : n.row->args) asks = asks || a.text == "shape" || a.text == "ndim";
  return asks;
}

/// By node: whether its output is known not to be a tensor. As in PyTorch, the output of a module
/// counts as a tensor; an argument that is a float may be a tensor, an integer is none. Only rows
/// of torch.fx have arguments that are not nodes.
template <class Graph, class Flags>
constexpr void find_without_tensors(const Graph& g, Flags& none) {
  for (int i = 0; i < g.count; ++i) {
    if (g.nodes[i].row == nullptr) continue;
    const node& n = g.nodes[i];
    const op_kind kind = n.op->kind;
    if (kind != op_kind::function && kind != op_kind::method) continue;
    if (is_any_of(n.op, method::size) || asks_for_shape(n)) {
      none[i] = true;
      continue;
    }
    bool found = false;
    bool any = false;
    int next = n.first_arg;
    for_each_argument(*n.row, [&](const argument& a, const argument_place& place) {
      const bool is_node = a.is == argument::kind::node;
      const int from = is_node ? g.args[next++] : -1;
      if (place.position < 0) return;
      any = true;
      if (is_any_of(n.op, op::getitem) && place.position > 0) return;
      if (is_node) {
        found = found || !none[from];
      } else if (!place.in_list && !a.has_elements()) {
        found = found || (a.is != argument::kind::integer && a.is != argument::kind::boolean);
      }
    });
    none[i] = any && !found;
  }
}

}  // namespace planning

/// How many of the positional arguments of a node are tensors.
template <class Graph, class Flags>
[[nodiscard]] constexpr int tensor_arguments(const Graph& g, int i, const Flags& without_tensors) {
  if (g.nodes[i].row == nullptr) return g.nodes[i].arg_count;
  int count = 0;
  for (const int n : positional_nodes(g, i)) count += n >= 0 && !without_tensors[n] ? 1 : 0;
  return count;
}

/// By node, before any decision.
template <class Graph>
struct dtype_plan {
  scratch_array<bool, Graph::max_nodes> has_qconfig{};              // one that is not None
  scratch_array<bool, Graph::max_nodes> without_tensors{};          // its output is not a tensor
  scratch_array<observation_type, Graph::max_nodes> observed_as{};  // by occurrence
  scratch_array<planned_dtypes, Graph::max_nodes> dtypes{};

  /// Plans float for a node, unless its output is not a tensor.
  constexpr void keep_float(int i) {
    if (dtypes[i].output != dtype::none) dtypes[i] = planned_dtypes{};
  }
};

namespace planning {

template <class Graph, class QConfigs>
class planner {
 public:
  constexpr planner(const Graph& g, const mapping_view& mapping, const QConfigs& qconfigs,
                    const occurrences<Graph>& matches, const prepare_options& options,
                    dtype_plan<Graph>& out)
      : g_(g),
        mapping_(mapping),
        qconfigs_(qconfigs),
        matches_(matches),
        options_(options),
        has_leaves_(options.custom.has_leaves()),
        getitem_is_float_(getitem_is_float(options.semantics)),
        out_(out) {
    int inputs = 0;
    for (int i = 0; i < g.count; ++i) {
      const op_kind kind = g.nodes[i].op->kind;
      if (kind == op_kind::placeholder) {
        if (contains(options.custom.input_quantized_indexes, inputs++))
          set(i, options.quantized_dtype);
      } else if (kind == op_kind::module || kind == op_kind::function || kind == op_kind::method) {
        if (out.without_tensors[i]) {
          set(i, dtype::none);
        } else if (has_leaves_ && is_in_quantized_tuple(g, mapping, qconfigs, options, i)) {
          from_qconfig(whole_of(g, i));
          out_.dtypes[i] = out_.dtypes[whole_of(g, i)];
        } else if (!getitem_is_float_ || !is_any_of(g.nodes[i].op, op::getitem)) {
          from_qconfig(i);
        }
      }
    }
    for (int i = 0; i < g.count; ++i)
      if (g.nodes[i].op->kind == op_kind::method) propagate(i);
  }

 private:
  constexpr void set(int i, dtype d) {
    out_.dtypes[i].input = out_.dtypes[i].output = d;
    out_.dtypes[i].is_dynamic = false;
  }

  constexpr void from_qconfig(int i) {
    if (!out_.has_qconfig[i]) return;
    const int which = matches_.of_node[i];
    const bool leaf = has_leaves_ && is_leaf(options_, g_.nodes[i]);
    if (which < 0 && !leaf) return;
    if (!leaf && out_.observed_as[which] == observation_type::input_output_not_observed) return;
    if (asked_of_ != qconfigs_[i]) asked_ = dtypes_of(mapping_.entries[qconfigs_[i]].qconfig);
    asked_of_ = qconfigs_[i];
    out_.dtypes[i] = asked_;
  }

  constexpr void propagate(int i) {
    const int from = g_.nodes[i].op->descriptor->first_non_tensor;
    if (from == 0 || g_.nodes[i].arg_count < 2) return;
    const int end = g_.nodes[i].op->descriptor->end_non_tensors;
    const list<argument_place> places = places_of(g_, i);
    for (int a = 0; a < g_.nodes[i].arg_count; ++a)
      if (places[a].position >= from && places[a].position < end)
        mark_non_tensor(g_.args[g_.nodes[i].first_arg + a]);
  }

  /// Marks the output of a node as no tensor, and the values that it copies, too.
  constexpr void mark_non_tensor(int i) {
    for (;;) {
      set(i, dtype::none);
      const int which = matches_.of_node[i];
      if (which < 0 ||
          out_.observed_as[which] != observation_type::output_share_observer_with_input ||
          g_.nodes[i].arg_count == 0)
        return;
      const int first = positional_nodes(g_, i)[0];
      if (first < 0) return;
      i = first;
    }
  }

  const Graph& g_;
  mapping_view mapping_;
  const QConfigs& qconfigs_;
  const occurrences<Graph>& matches_;
  const prepare_options& options_;
  bool has_leaves_{};
  bool getitem_is_float_{};
  dtype_plan<Graph>& out_;
  planned_dtypes asked_{};  // of one entry of the mapping: most nodes have the same
  int asked_of_ = -1;
};

}  // namespace planning

/// Plans the dtypes of all nodes.
///   qconfigs  by node: its entry of the mapping
template <class Graph, class QConfigs>
constexpr void plan_dtypes(const Graph& g, const backend_view& backend, const mapping_view& mapping,
                           const QConfigs& qconfigs, const occurrences<Graph>& matches,
                           const prepare_options& options, dtype_plan<Graph>& out) {
  resize_all(g.count, out.has_qconfig, out.without_tensors, out.observed_as, out.dtypes);
  for (int i = 0; i < g.count; ++i)
    out.has_qconfig[i] = qconfigs[i] >= 0 && mapping.entries[qconfigs[i]].quantizes;
  planning::find_without_tensors(g, out.without_tensors);
  for (int k = 0; k < matches.count; ++k)
    out.observed_as[k] = backend.configs.items[matches.found[k].config].observation_for(
        tensor_arguments(g, matches.root(k), out.without_tensors));
  planning::planner<Graph, QConfigs>{g, mapping, qconfigs, matches, options, out};
}

}  // namespace ctq
