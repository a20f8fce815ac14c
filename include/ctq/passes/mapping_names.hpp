// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/same_text.hpp"
#include "ctq/graph/module_path.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/resolve_qconfig.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// Whether the modules that a mapping names exist. PyTorch silently ignores an entry with a misspelt
// module_name, or with the name of a module that is fused into another one.

namespace ctq {

namespace mapping_names {

/// What a model's input or output is called in a message; empty for other nodes.
constexpr std::string_view end_of_model(const node& n) {
  return n.op->kind == op_kind::placeholder ? "an input"
         : n.op->kind == op_kind::output    ? "the output"
                                            : "";
}

template <stage Stage>
constexpr bool names_any(graph_view<Stage> g, std::string_view module) {
  for (int i = 0; i < g.size(); ++i)
    if (end_of_model(g[i]).empty() && is_in(g[i].name, module)) return true;
  return false;
}

/// How many nodes of this op are in this module, as module_name_object_type_order counts them.
constexpr int count(graph_view<stage::fused> g, const mapping_entry& e) {
  int n = 0;
  for (int i = 0; i < g.size(); ++i)
    n += g[i].op == e.op && same_text(parent_of(g[i].name), e.module) ? 1 : 0;
  return n;
}

/// Adds why a module_name entry has no effect, if so.
template <graph_at<stage::traced> Traced, graph_at<stage::fused> Fused>
constexpr void module_name(diagnostic& d, Traced traced, Fused fused, const backend_view& backend,
                           std::string_view module) {
  if (names_any(fused, module)) return;
  if (!names_any(traced, module)) {
    for (int i = 0; i < traced.size(); ++i) {
      if (traced[i].name != module) continue;
      d.line(module, " is ", end_of_model(traced[i]), " of the model,");
      d.line("not a module: name the node beside it");
      return;
    }
    d.line("no module of the model is named").line(module);
    return;
  }
  const list<int> into = fused_into(traced, backend);
  for (int i = 0; i < traced.size(); ++i) {
    if (!is_in(traced[i].name, module)) continue;
    d.line(traced[i].name, " is fused into ", traced[into[i]].name);
    d.line("use that name instead");
    return;
  }
}

}  // namespace mapping_names

/// Whether an entry names modules. Regular expressions may match none.
[[nodiscard]] constexpr bool names_modules(const mapping_view& mapping) {
  for (int i = 0; i < mapping.count; ++i)
    if (mapping.entries[i].level == mapping_level::module_name ||
        mapping.entries[i].level == mapping_level::module_name_object_type_order)
      return true;
  return false;
}

/// The first entry of a mapping that has no effect.
///   traced, fused  views
template <graph_at<stage::traced> Traced, graph_at<stage::fused> Fused>
[[nodiscard]] constexpr diagnostic check_mapping_names(Traced traced, Fused fused,
                                                       const backend_view& backend,
                                                       const mapping_view& mapping) {
  for (int i = 0; i < mapping.count; ++i) {
    const mapping_entry& e = mapping.entries[i];
    diagnostic d;
    if (e.level == mapping_level::module_name)
      mapping_names::module_name(d, traced, fused, backend, e.module);
    if (e.level == mapping_level::module_name_object_type_order) {
      const int there = mapping_names::count(fused, e);
      if (e.order >= there)
        d.line("after fusion there are ", there, " nodes of")
            .line(e.op->name)
            .line("directly in ", e.module.empty() ? std::string_view{"the model"} : e.module);
    }
    if (!d.any()) continue;
    diagnostic whole;
    whole.line("a QConfigMapping entry has no effect:");
    whole.line("entry: #", i, " of ", mapping.count, ", ", name_of(e.level));
    whole.line(d.message());
    return whole;
  }
  return {};
}

}  // namespace ctq
