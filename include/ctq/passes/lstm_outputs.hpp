// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/graph.hpp"
#include "ctq/ops/views.hpp"
#include "ctq/passes/prepare_options.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// An nn.LSTM that is a custom module with a static qconfig gives a tuple of integers, (output, (h,
// c)). No part of it is observed, since the module has observers of its own; convert dequantizes
// the parts. As in PyTorch, this holds for the class nn.LSTM alone.

namespace ctq {

[[nodiscard]] constexpr bool gives_quantized_tuple(const custom_module* c) {
  return c != nullptr && c->type == quant_type::static_ && c->float_class != nullptr &&
         c->float_class->name == "torch.nn.LSTM";
}

/// x[index]
[[nodiscard]] constexpr bool takes_item(const node& n, int index) {
  if (n.row == nullptr) return n.attrs.as<getitem_options>().index.item[0] == index_item(index);
  return n.row->args.size() > 1 && n.row->args[1].is == argument::kind::integer &&
         n.row->args[1].integer == index;
}

/// The node of which this one is a part, as x[0], x[1] and x[1][0] are parts of x; or itself. Items
/// of x[0], a tensor, are no parts of x but computed from it.
template <class Graph>
[[nodiscard]] constexpr int whole_of(const Graph& g, int i) {
  const auto is_item = [&g](int k) {
    const node& n = g.nodes[k];
    return is_any_of(n.op, op::getitem) &&
           (n.row != nullptr || n.attrs.as<getitem_options>().index.count == 1);
  };
  const auto source = [&g](int k) { return g.args[g.nodes[k].first_arg]; };
  if (!is_item(i)) return i;
  const int outer = source(i);
  if (!is_item(outer)) return outer;
  const bool of_state = takes_item(g.nodes[outer], 1) || takes_item(g.nodes[outer], -1);
  return of_state && !is_item(source(outer)) ? source(outer) : i;
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

}  // namespace ctq
