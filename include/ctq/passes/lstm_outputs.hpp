// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/diagnostic.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/shape_rules.hpp"
#include "ctq/ops/custom_modules/quantizable_lstm.hpp"
#include "ctq/ops/views.hpp"
#include "ctq/passes/prepare_options.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// An nn.LSTM that is a custom module with a static qconfig returns a tuple of integers,
// (output, (h, c)). No part of it is observed, since the module has observers of its own; convert
// dequantizes the parts. As in PyTorch, this holds only for the class nn.LSTM.

namespace ctq {

/// For the custom configs of prepare and of convert: nn.LSTM is quantized statically.
inline constexpr custom_module lstm_custom_module{.float_class = nn::lstm.id(),
                                                  .observed = &quantizable_lstm_class,
                                                  .quantized = &quantized_lstm_class};

/// Whether the entry is one for a static nn.LSTM.
[[nodiscard]] constexpr bool gives_quantized_tuple(const custom_module* c) {
  return c != nullptr && c->type == quant_type::static_ && c->float_class != nullptr &&
         c->float_class->name == "torch.nn.LSTM";
}

/// A class that an entry names. For a static LSTM it is ctq's own class with that name, if there is
/// one, since a config from a file has only the name.
[[nodiscard]] constexpr op_id class_with_kernels(const custom_module& c, op_id named) {
  if (gives_quantized_tuple(&c) && named != nullptr)
    for (const op_id known : {lstm_custom_module.observed, lstm_custom_module.quantized})
      if (is_same_op(named, known)) return known;
  return named;
}

/// Whether the node is x[index].
[[nodiscard]] constexpr bool takes_item(const node& n, int index) {
  if (n.row == nullptr) return shape_rules::item_index(n) == index;
  return n.row->args.size() > 1 && n.row->args[1].is == argument::kind::integer &&
         n.row->args[1].integer == index;
}

/// The node that this one is a part of, as x[0], x[1] and x[1][0] are parts of x; or itself. Items
/// of x[0], a tensor, are not parts of x but computed from it.
template <class Graph>
[[nodiscard]] constexpr int whole_of(const Graph& g, int i) {
  const auto is_item = [&g](int k) {
    const node& n = g.nodes[k];
    return is_any_of(n.op, op::getitem) &&
           (n.row != nullptr || shape_rules::item_index(n) != INT32_MIN);
  };
  const auto source = [&g](int k) { return g.args[g.nodes[k].first_arg]; };
  if (!is_item(i)) return i;
  const int outer = source(i);
  if (!is_item(outer)) return outer;
  const bool of_state = takes_item(g.nodes[outer], 1) || takes_item(g.nodes[outer], -1);
  return of_state && !is_item(source(outer)) ? source(outer) : i;
}

/// The class that convert gives an observed custom module, or null.
///   of_convert  the entries of convert's config, which take precedence over the entry itself
[[nodiscard]] constexpr op_id converted_class(view<custom_module> of_convert, op_id observed,
                                              const custom_module& entry) {
  for (const custom_module& c : of_convert)
    if (is_same_op(c.observed, observed) && c.type == entry.type)
      return class_with_kernels(entry, c.quantized);
  return class_with_kernels(entry, entry.quantized);
}

/// Whether a node is such a tuple, or a part of it, if the qconfig of the module is static.
template <class Graph>
[[nodiscard]] constexpr bool may_be_in_quantized_tuple(const Graph& g, const prepare_options& o,
                                                       int i) {
  return gives_quantized_tuple(custom_of(o, g.nodes[whole_of(g, i)].op));
}

/// The same, with this qconfig.
///   qconfigs  by node: its entry of the mapping
template <class Graph, class QConfigs>
[[nodiscard]] constexpr bool is_in_quantized_tuple(const Graph& g, const mapping_view& mapping,
                                                   const QConfigs& qconfigs,
                                                   const prepare_options& o, int i) {
  const int module = whole_of(g, i);
  const int q = qconfigs[module];
  return q >= 0 && mapping.entries[q].quantizes &&
         gives_quantized_tuple(custom_of(o, g.nodes[module].op, mapping.entries[q].qconfig));
}

/// Numbers the observers in the cells of an observed LSTM, after those of the graph: node::observer
/// is the first one. Calls of one module share them. Nodes of torch.fx get no numbers: an evaluator
/// runs them, and their module owns the observers.
///   record  of all of them
template <class Graph>
constexpr void number_inner_observers(Graph& g, int i, const observer_record& record) {
  node& n = g.nodes[i];
  if (n.op->descriptor->inner_observers == nullptr || n.row != nullptr) return;
  n.observer_config = &record;
  for (int k = 0; k < i; ++k)
    if (g.nodes[k].op == n.op && path_of(g.nodes[k]) == path_of(n)) {
      n.observer = g.nodes[k].observer;
      return;
    }
  n.observer = g.observers;
  g.observers += n.op->descriptor->inner_observers(n.attrs);
}

/// Gives a custom module its observed class, if the entry has one.
///   record  the observer of its activations
template <class Graph>
constexpr void to_observed_form(Graph& g, int i, const custom_module& c,
                                const observer_record& record) {
  if (c.observed != nullptr) g.nodes[i].op = class_with_kernels(c, c.observed);
  if (gives_quantized_tuple(&c)) number_inner_observers(g, i, record);
}

/// Whether a node has observers inside, whose numbers follow node::observer.
[[nodiscard]] constexpr bool has_inner_observers(const node& n) {
  return n.op->descriptor->inner_observers != nullptr && n.observer >= 0;
}

/// The part of the tuple that a node is, h for both states; output for the tuple itself.
template <class Graph>
[[nodiscard]] constexpr lstm_part part_of_tuple(const Graph& g, int i) {
  const int module = whole_of(g, i);
  if (i == module) return lstm_part::output;
  const int outer = g.args[g.nodes[i].first_arg];
  const auto takes = [&g](int k, int item) {
    return takes_item(g.nodes[k], item) || takes_item(g.nodes[k], item - 2);
  };
  if (outer == module) return takes(i, 0) ? lstm_part::output : lstm_part::h;
  return takes(i, 0) ? lstm_part::h : lstm_part::c;
}

/// The observer whose qparams a part of the tuple has, or -1 if it is unknown; for the LSTM itself
/// the first one inside.
template <class Graph>
[[nodiscard]] constexpr int observer_in_tuple(const Graph& g, int i) {
  const int module = whole_of(g, i);
  const node& n = g.nodes[module];
  if (!has_inner_observers(n) || i == module) return n.observer;
  return n.observer + observer_of_part(n.attrs, part_of_tuple(g, i));
}

/// Whether a node is h and c together, which have different qparams.
template <class Graph>
[[nodiscard]] constexpr bool is_whole_state(const Graph& g, int i) {
  const int module = whole_of(g, i);
  return i != module && g.nodes[module].op->descriptor->inner_observers != nullptr &&
         g.args[g.nodes[i].first_arg] == module && part_of_tuple(g, i) == lstm_part::h;
}

}  // namespace ctq
