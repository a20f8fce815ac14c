// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/diagnostic.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/passes/resolve_qconfig.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// Checks the mapping that convert is given: it must have every key of prepare's mapping, with the
// same qconfig or with None. PyTorch raises an error for any other.

namespace ctq {

namespace converting {

/// Whether the second entry requests a qconfig, not None, that the first one does not request. An
/// index of -1 means that there is no entry.
constexpr bool asks_for_more(const mapping_view& prepared, int before, const mapping_view& given,
                             int now) {
  if (now < 0 || !given.entries[now].quantizes) return false;
  return before < 0 || !prepared.entries[before].quantizes ||
         !(prepared.entries[before].qconfig == given.entries[now].qconfig);
}

}  // namespace converting

/// The first entry of convert's mapping that asks for more than that of prepare.
///   entries  by node: its entry of convert's mapping
template <graph_at<stage::prepared> Graph, class Entries>
[[nodiscard]] constexpr diagnostic check_convert_mapping(const Graph& g,
                                                         const mapping_view& prepared,
                                                         const mapping_view& given,
                                                         const Entries& entries) {
  diagnostic d;
  const auto report = [&d](std::string_view level, std::string_view key) {
    d.line("the qconfig_mapping of convert says")
        .line("neither None nor what that of prepare does")
        .line(level, ": ", key);
  };
  for (int e = 0; e < prepared.count && !d.any(); ++e) {
    const mapping_entry& key = prepared.entries[e];
    if (key.level == mapping_level::module_name_object_type_order) continue;
    const auto is_key = [&](const mapping_entry& other) {
      return other.op == key.op && other.module == key.module;
    };
    if (resolving::last_entry(prepared, key.level, is_key) != e) continue;
    const int now = resolving::last_entry(given, key.level, is_key);
    const bool lost_global = key.level == mapping_level::global && now >= 0 && key.quantizes &&
                             !given.entries[now].quantizes;
    if (now < 0 || lost_global || converting::asks_for_more(prepared, e, given, now))
      report(name_of(key.level), key.op != nullptr ? key.op->name : key.module);
  }
  for (int i = 0; i < g.count && !d.any(); ++i) {
    const op_kind kind = g.nodes[i].op->kind;
    if (kind != op_kind::get_attr && kind != op_kind::pass &&
        converting::asks_for_more(prepared, g.nodes[i].choice.qconfig, given, entries[i]))
      report("node", g.nodes[i].name);
  }
  return d;
}

}  // namespace ctq
