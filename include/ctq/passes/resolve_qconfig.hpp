// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/diagnostic.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/module_path.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/passes/fx_semantics.hpp"
#include "ctq/spec/fused_parts.hpp"
#include "ctq/spec/name_regex.hpp"
#include "ctq/spec/op_index.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// Finds the entry of a qconfig mapping for a node.
//
// The name of a module's node is the module's path, "layer1.0.conv1". A function belongs to the
// module of its name, "layer1.0.add" to "layer1.0"; an attribute to its owner.
// Beyond PyTorch, a module_name entry may name a function's node as well:
// allow_float<"layer1.0.add">.

namespace ctq {

/// The module around a node; for a module the one that owns it.
[[nodiscard]] constexpr std::string_view scope_of(const node& n) {
  const bool has_path = n.op->kind == op_kind::module || n.op->kind == op_kind::get_attr;
  return has_path || n.row == nullptr ? parent_of(path_of(n)) : n.row->scope;
}

namespace resolving {

/// The module whose name is matched: the node itself, or the one around it.
constexpr std::string_view module_of(const node& n) {
  return n.op->kind == op_kind::module ? path_of(n) : scope_of(n);
}

/// The last entry of a level that fits, or -1.
template <class Question>
constexpr int last_entry(const mapping_view& m, mapping_level level, Question fits) {
  for (int i = m.count - 1; i >= 0; --i)
    if (m.entries[i].level == level && fits(m.entries[i])) return i;
  return -1;
}

/// Sets entry i for the node that it names, if there is one. There are few entries, so each one
/// scans all nodes.
template <class Graph, class Entries>
constexpr void apply_order(const Graph& g, const mapping_entry& e, int i, semantics s,
                           Entries& entry) {
  if (e.op != nullptr && e.op->kind == op_kind::method && methods_are_not_counted(s)) return;
  int order = 0;
  for (int n = 0; n < g.count; ++n) {
    // A fused module counts as the one that it was before.
    const bool fits = g.nodes[n].op == e.op || (e.op != nullptr && e.op->kind == op_kind::module &&
                                                first_part_of(g.nodes[n].op) == e.op);
    if (!fits || scope_of(g.nodes[n]) != e.module || order++ != e.order) continue;
    entry[n] = i;
    return;
  }
}

/// The entry for the module itself, else for the nearest one around it.
constexpr int by_name(const mapping_view& m, std::string_view module) {
  for (; !module.empty(); module = parent_of(module)) {
    const int found = last_entry(m, mapping_level::module_name,
                                 [&](const mapping_entry& e) { return e.module == module; });
    if (found >= 0) return found;
  }
  return -1;
}

/// An expression of the mapping, and the entry for modules that it matches.
struct expression {
  name_regex regex{""};
  int entry = -1;
};

/// The expressions in the order of the mapping; setting one again changes its qconfig, not its
/// position.
constexpr list<expression> expressions_of(const mapping_view& m) {
  list<expression> all;
  for (int i = 0; i < m.count; ++i) {
    if (m.entries[i].level != mapping_level::module_name_regex) continue;
    const int entry = last_entry(m, mapping_level::module_name_regex, [&](const mapping_entry& e) {
      return e.module == m.entries[i].module;
    });
    all.push_back({name_regex{m.entries[i].module}, entry});
  }
  return all;
}

constexpr int by_regex(const list<expression>& expressions, std::string_view module) {
  for (const expression& e : expressions)
    if (e.regex.matches(module)) return e.entry;
  return -1;
}

/// The object_type entries.
constexpr op_index types_of(const mapping_view& m) {
  op_index types;
  for (int i = 0; i < m.count; ++i)
    if (m.entries[i].level == mapping_level::object_type) types.add(m.entries[i].op, i);
  return types;
}

/// A fused module without an entry has that of its first part. In PyTorch the entry of the part is
/// tried first, unless it is None.
constexpr int by_type(const mapping_view& m, const op_index& types, op_id op, semantics s) {
  const int own = types.find(op);
  const op_id first = first_part_of(op);
  if (first == nullptr || (own >= 0 && !fused_types_require_one_qconfig(s))) return own;
  const int inner = by_type(m, types, first, s);
  if (!fused_types_require_one_qconfig(s)) return inner;
  return inner >= 0 && m.entries[inner].quantizes ? inner : own;
}

/// A function or method takes the entry of the class of the module around it before its own.
constexpr int by_scope_type(const op_index& types, const node& n) {
  const bool is_call = n.op->kind == op_kind::function || n.op->kind == op_kind::method;
  if (!is_call || n.row == nullptr || n.row->scope_type == nullptr) return -1;
  return types.find(n.row->scope_type);
}

constexpr int global(const mapping_view& m) {
  return last_entry(m, mapping_level::global, [](const mapping_entry&) { return true; });
}

}  // namespace resolving

/// The name of a node in a module_name entry: the path of a module, the name of any other node.
[[nodiscard]] constexpr std::string_view name_in_mapping(const node& n) {
  return n.op->kind == op_kind::module ? path_of(n) : n.name;
}

/// PyTorch 1.13: reports a fused module whose parts have different object_type entries.
[[nodiscard]] constexpr diagnostic check_fused_types(graph_view<stage::fused> g,
                                                     const mapping_view& m) {
  const auto same = [&m](int a, int b) {
    const bool no_a = a < 0 || !m.entries[a].quantizes;
    const bool no_b = b < 0 || !m.entries[b].quantizes;
    return no_a || no_b ? no_a == no_b : m.entries[a].qconfig == m.entries[b].qconfig;
  };
  diagnostic d;
  const op_index types = resolving::types_of(m);
  for (int i = 0; !types.empty() && i < g.size() && !d.any(); ++i)
    for (const op_id part : g[i].op->descriptor->fused_of)
      if (part != nullptr && !same(types.find(first_part_of(g[i].op)), types.find(part)))
        d.line("node ", g[i].name, ":")
            .line("the types inside of ", g[i].op->name)
            .line("have different qconfigs: ", part->name);
  return d;
}

/// By node: its entry of the mapping, or -1; placeholders and outputs have none.
template <class Graph, class Entries>
constexpr void resolve_qconfigs(const Graph& g, const mapping_view& m, semantics s,
                                Entries& entry) {
  resize(entry, g.count);
  for (int i = 0; i < g.count; ++i) entry[i] = -1;
  bool has_names = false;
  for (int i = 0; i < m.count; ++i) {
    const mapping_entry& e = m.entries[i];
    if (e.level == mapping_level::module_name_object_type_order)
      resolving::apply_order(g, e, i, s, entry);
    has_names = has_names || e.level == mapping_level::module_name ||
                e.level == mapping_level::module_name_regex;
  }
  const list<resolving::expression> expressions = resolving::expressions_of(m);
  const int global = resolving::global(m);
  const op_index types = resolving::types_of(m);
  for (int i = 0; i < g.count; ++i) {
    const op_kind kind = g.nodes[i].op->kind;
    if (entry[i] >= 0 || kind == op_kind::placeholder || kind == op_kind::output) continue;
    int found = -1;
    if (has_names) {
      const std::string_view module = resolving::module_of(g.nodes[i]);
      if (!module_names_mean_modules(s)) found = resolving::by_name(m, name_in_mapping(g.nodes[i]));
      if (found < 0) found = resolving::by_name(m, module);
      if (found < 0) found = resolving::by_regex(expressions, module);
    }
    if (found < 0 && !types.empty()) found = resolving::by_scope_type(types, g.nodes[i]);
    if (found < 0 && !types.empty()) found = resolving::by_type(m, types, g.nodes[i].op, s);
    entry[i] = found < 0 ? global : found;
  }
}

template <stage Stage>
[[nodiscard]] constexpr list<int> resolve_qconfigs(graph_view<Stage> g, const mapping_view& m,
                                                   semantics s = {}) {
  list<int> entry;
  resolve_qconfigs(g, m, s, entry);
  return entry;
}

}  // namespace ctq
