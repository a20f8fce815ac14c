// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/graph.hpp"
#include "ctq/passes/resolve_qconfig.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// QAT modules: those that fake-quantize their weight in quantization-aware training.

namespace ctq {

/// The backend's QAT module for a module; nullptr if there is none.
[[nodiscard]] constexpr op_id qat_module_of(const backend_view& backend, op_id op) {
  if (op->kind != op_kind::module) return nullptr;
  for (const backend_pattern_config_record& c : backend.configs)
    if (c.qat_module != nullptr && c.pattern.is_single() && c.pattern.anchor() == op)
      return c.qat_module;
  return nullptr;
}

/// The entry of the mapping that PyTorch hands down from module to module: of the module itself or
/// of the nearest one around it, by name, else by type; else the global one.
[[nodiscard]] constexpr int handed_down_entry(const mapping_view& m, const op_index& types,
                                              const node& n, semantics s) {
  // Rows name the type of the module around a node, but not of those further out.
  const op_id around = n.row == nullptr ? nullptr : n.row->scope_type;
  const int by_type_around = around == nullptr ? -1 : types.find(around);
  int by_type = resolving::by_type(m, types, n.op, s);
  for (std::string_view path = path_of(n); !path.empty(); path = parent_of(path)) {
    const int by_name = resolving::last_entry(
        m, mapping_level::module_name, [&](const mapping_entry& e) { return e.module == path; });
    if (by_name >= 0) return by_name;
    if (by_type >= 0) return by_type;
    by_type = by_type_around;
  }
  return resolving::global(m);
}

/// Replaces modules with a qconfig by the backend's QAT modules, in the nodes of a graph.
///   qconfigs  by node: its entry of the mapping
template <class Nodes, class QConfigs>
constexpr void swap_qat_modules(Nodes& nodes, int count, const backend_view& backend,
                                const mapping_view& mapping, const QConfigs& qconfigs,
                                semantics s) {
  const op_index types = resolving::types_of(mapping);
  for (int i = 0; i < count; ++i) {
    const op_id trained = qat_module_of(backend, nodes[i].op);
    if (trained == nullptr) continue;
    const int q = qat_modules_ignore_expressions(s) ? handed_down_entry(mapping, types, nodes[i], s)
                                                    : qconfigs[i];
    if (q < 0 || !mapping.entries[q].quantizes) continue;
    nodes[i].op = trained;
    nodes[i].weight = &mapping.entries[q].qconfig.weight;
  }
}

/// The same, in a copy of the graph.
[[nodiscard]] constexpr dynamic_graph<stage::fused> swap_qat_modules(graph_view<stage::fused> g,
                                                                     const backend_view& backend,
                                                                     const mapping_view& mapping,
                                                                     const list<int>& qconfigs,
                                                                     semantics s) {
  dynamic_graph<stage::fused> out;
  out.reserve(g.size(), g.arg_total());
  for (int i = 0; i < g.size(); ++i) out.add(g[i], g.args_of(i).begin(), g[i].arg_count);
  swap_qat_modules(out.nodes, out.size(), backend, mapping, qconfigs, s);
  return out;
}

}  // namespace ctq
