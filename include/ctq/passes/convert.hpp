// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/ops.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// The reference model: each observer becomes a quantize and a dequantize, everything between them
// stays a float op. This is the meaning that the lowered model has to keep.

namespace ctq {

[[nodiscard]] constexpr dynamic_graph<stage::reference> convert_graph(
    graph_view<stage::prepared> g, const mapping_view& mapping) {
  dynamic_graph<stage::reference> out;
  out.observers = g.observers;
  list<int> moved(static_cast<std::size_t>(g.size()), -1);
  int number = 0;
  for (int i = 0; i < g.size(); ++i) {
    list<int> args;
    for (const int a : g.args_of(i)) args.push_back(moved[static_cast<std::size_t>(a)]);
    if (!is_any_of(g[i].op, q::activation_post_process)) {
      moved[static_cast<std::size_t>(i)] = out.add(g[i], args);
      continue;
    }
    node quantize = g[i];
    quantize.name = "quantize_per_tensor";
    quantize.number = number;
    quantize.op = q::quantize_per_tensor.id();
    quantize.dtype = mapping.entries[g[i].choice.qconfig].qconfig.activation.args.dtype;
    node dequantize = quantize;
    dequantize.name = "dequantize";
    dequantize.number = number++;
    dequantize.op = q::dequantize.id();
    dequantize.dtype = f32;
    moved[static_cast<std::size_t>(i)] = out.add(dequantize, out.add(quantize, args));
  }
  return out;
}

}  // namespace ctq
