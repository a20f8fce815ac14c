// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/graph.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// Modules that fake-quantize their weight in quantization-aware training.

namespace ctq {

/// The backend's QAT module for a module; nullptr if there is none.
[[nodiscard]] constexpr op_id qat_module_of(const backend_view& backend, op_id op) {
  if (op->kind != op_kind::module) return nullptr;
  for (const backend_pattern_config_record& c : backend.configs)
    if (c.qat_module != nullptr && c.pattern.is_single() && c.pattern.anchor() == op)
      return c.qat_module;
  return nullptr;
}

/// Replaces modules with a qconfig by the backend's QAT modules, in the nodes of a graph.
///   qconfigs  by node: its entry of the mapping
template <class Nodes, class QConfigs>
constexpr void swap_qat_modules(Nodes& nodes, int count, const backend_view& backend,
                                const mapping_view& mapping, const QConfigs& qconfigs) {
  for (int i = 0; i < count; ++i) {
    const int q = qconfigs[i];
    const op_id trained = qat_module_of(backend, nodes[i].op);
    if (trained == nullptr || q < 0 || !mapping.entries[q].quantizes) continue;
    nodes[i].op = trained;
    nodes[i].weight = &mapping.entries[q].qconfig.weight;
  }
}

/// The same, in a copy of the graph.
[[nodiscard]] constexpr dynamic_graph<stage::fused> swap_qat_modules(graph_view<stage::fused> g,
                                                                     const backend_view& backend,
                                                                     const mapping_view& mapping,
                                                                     const list<int>& qconfigs) {
  dynamic_graph<stage::fused> out;
  out.reserve(g.size(), g.arg_total());
  for (int i = 0; i < g.size(); ++i) out.add(g[i], g.args_of(i).begin(), g[i].arg_count);
  swap_qat_modules(out.nodes, out.size(), backend, mapping, qconfigs);
  return out;
}

}  // namespace ctq
