// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/argument_places.hpp"
#include "ctq/passes/accept.hpp"
#include "ctq/passes/match.hpp"
#include "ctq/passes/prepare_options.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// What the values of each node would be if every qconfig were honoured, before anything is decided:
// from the qconfigs, from what the caller says of inputs and outputs, and from ops whose arguments
// are known to be no tensors of numbers, such as the sizes of a reshape.

namespace ctq {

namespace planning {

/// x.shape or x.ndim
constexpr bool asks_for_shape(const node& n) {
  bool asks = false;
  if (is_any_of(n.op, fn::getattr))
    for (const argument& a : n.row->args) asks = asks || a.text == "shape" || a.text == "ndim";
  return asks;
}

/// Is it known that a node gives no tensor? By node. As in PyTorch a module always gives one, a
/// float among the arguments may be one, integers are none.
template <stage Stage>
constexpr list<bool> without_tensors(graph_view<Stage> g) {
  list<bool> none(g.size(), false);
  for (int i = 0; i < g.size(); ++i) {
    const node& n = g[i];
    const op_kind kind = n.op->kind;
    if (n.row == nullptr || (kind != op_kind::function && kind != op_kind::method)) continue;
    if (is_any_of(n.op, method::size) || asks_for_shape(n)) {
      none[i] = true;
      continue;
    }
    bool found = false;
    bool any = false;
    int next = 0;
    for_each_argument(*n.row, [&](const argument& a, const argument_place& place) {
      const bool is_node = a.is == argument::kind::node;
      const int from = is_node ? g.args_of(i)[next++] : -1;
      if (place.position < 0) return;
      any = true;
      if (is_any_of(n.op, op::getitem) && place.position > 0) return;
      if (is_node) {
        found = found || !none[from];
      } else if (!place.in_list && a.is != argument::kind::list) {
        found = found || (a.is != argument::kind::integer && a.is != argument::kind::boolean);
      }
    });
    none[i] = any && !found;
  }
  return none;
}

/// The arguments of a method that are known to be sizes, axes or masks, from this position on (or
/// at this position alone). 0: none.
struct known_arguments {
  int from = 0;
  int to = 0;
};

constexpr known_arguments known_arguments_of(const node& n) {
  constexpr int all = 1000;
  if (is_any_of(n.op, method::permute, method::repeat, method::reshape, method::transpose,
                method::view))
    return {1, all};
  if (is_any_of(n.op, method::size, method::unsqueeze, method::unsqueeze_)) return {1, 2};
  if (is_any_of(n.op, method::masked_fill)) return {1, 3};
  return {};
}

}  // namespace planning

/// How many of the positional arguments of a node are tensors.
template <stage Stage>
[[nodiscard]] constexpr int tensor_arguments(graph_view<Stage> g, int i,
                                             const list<bool>& without_tensors) {
  if (g[i].row == nullptr) return g[i].arg_count;
  int count = 0;
  for (const int n : positional_nodes(g, i)) count += n >= 0 && !without_tensors[n] ? 1 : 0;
  return count;
}

class dtype_plan {
 public:
  /// type_of  by occurrence: how it is observed
  constexpr dtype_plan(graph_view<stage::fused> g, const mapping_view& mapping,
                       const list<int>& qconfigs, const occurrences& matches,
                       const list<observation_type>& type_of, const list<bool>& without_tensors,
                       const prepare_options& options)
      : g_(g), matches_(matches), type_of_(type_of), planned_(g.size()) {
    int inputs = 0;
    for (int i = 0; i < g.size(); ++i) {
      planned_dtypes& p = planned_[i];
      const op_kind kind = g[i].op->kind;
      if (kind == op_kind::placeholder) {
        if (contains(options.input_quantized_indexes, inputs++)) both(p, options.quantized_dtype);
      } else if (kind == op_kind::module || kind == op_kind::function || kind == op_kind::method) {
        if (without_tensors[i]) {
          both(p, dtype::none);
        } else if (!(is_any_of(g[i].op, op::getitem) && getitem_is_float(options.semantics))) {
          from_qconfig(p, i, mapping, qconfigs, options);
        }
      }
    }
    for (int i = 0; i < g.size(); ++i) propagate(i);
  }

  [[nodiscard]] constexpr const planned_dtypes& operator[](int i) const { return planned_[i]; }

  /// The node stays in float after all.
  constexpr void give_up(int i) { planned_[i] = {}; }

 private:
  static constexpr void both(planned_dtypes& p, dtype d) {
    p.input = p.output = d;
    p.is_dynamic = false;
  }

  constexpr void from_qconfig(planned_dtypes& p, int i, const mapping_view& mapping,
                              const list<int>& qconfigs, const prepare_options& o) const {
    const int q = qconfigs[i];
    if (q < 0 || !mapping.entries[q].quantizes) return;
    const int which = matches_.of_node[i];
    const bool leaf = standalone_of(o, g_[i]) != nullptr || is_custom(o, g_[i].op);
    if (which < 0 && !leaf) return;
    if (!leaf && type_of_[which] == observation_type::input_output_not_observed) return;
    p = dtypes_of(mapping.entries[q].qconfig);
  }

  constexpr void propagate(int i) {
    if (g_[i].op->kind != op_kind::method) return;
    const planning::known_arguments known = planning::known_arguments_of(g_[i]);
    if (known.from == 0 || g_[i].arg_count < 2) return;
    const list<argument_place> places = places_of(g_, i);
    for (int a = 0; a < g_[i].arg_count; ++a)
      if (places[a].position >= known.from && places[a].position < known.to)
        make_no_tensor(g_.args_of(i)[a]);
  }

  /// Also what it is a copy of.
  constexpr void make_no_tensor(int i) {
    for (;;) {
      both(planned_[i], dtype::none);
      const int which = matches_.of_node[i];
      if (which < 0 || type_of_[which] != observation_type::output_share_observer_with_input ||
          g_[i].arg_count == 0)
        return;
      const int first = positional_nodes(g_, i)[0];
      if (first < 0) return;
      i = first;
    }
  }

  graph_view<stage::fused> g_;
  const occurrences& matches_;
  const list<observation_type>& type_of_;
  list<planned_dtypes> planned_;
};

}  // namespace ctq
