// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/ops.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// The reference model: each observer becomes a quantize and a dequantize, everything between them
// stays a float op. This is the meaning that the lowered model has to keep.

namespace ctq {

[[nodiscard]] constexpr dynamic_graph<stage::reference> convert_graph(graph_view<stage::prepared> g,
                                                                      const mapping_view& mapping) {
  dynamic_graph<stage::reference> out;
  out.observers = g.observers;
  int observed = 0;
  for (int i = 0; i < g.size(); ++i)
    observed += is_any_of(g[i].op, q::activation_post_process) ? 1 : 0;
  out.reserve(g.size() + observed, g.arg_total() + observed);
  list<int> args;
  list<int> moved(g.size(), -1);
  int number = 0;
  for (int i = 0; i < g.size(); ++i) {
    args.clear();
    for (const int a : g.args_of(i)) args.push_back(moved[a]);
    if (!is_any_of(g[i].op, q::activation_post_process)) {
      moved[i] = out.add(g[i], args);
      continue;
    }
    const int quantize = out.add(g[i], args);
    node& q = out.nodes.back();
    q.name = "quantize_per_tensor";
    q.number = number;
    q.op = q::quantize_per_tensor.id();
    q.dtype = mapping.entries[g[i].choice.qconfig].qconfig.activation.args.dtype;
    moved[i] = out.add(g[i], quantize);
    node& d = out.nodes.back();
    d.name = "dequantize";
    d.number = number++;
    d.op = q::dequantize.id();
  }
  return out;
}

}  // namespace ctq
