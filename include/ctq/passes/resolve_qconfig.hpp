// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/ops.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/spec/name_regex.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// Which entry of a qconfig mapping holds for a node.
//
// The name of a module's node is the module's path, "layer1.0.conv1". A function belongs to the
// module that its name is inside of: "layer1.0.add" to "layer1.0". Beyond PyTorch, a module_name
// entry may name a function's node as well: allow_float<"layer1.0.add">.

namespace ctq {

/// "layer1.0" of "layer1.0.conv1"; nothing of "conv1".
[[nodiscard]] constexpr std::string_view parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

namespace resolving {

/// The op whose object_type entries hold for a fused module: that of its root.
constexpr op_id type_of(op_id op) {
  if (is_any_of(op, nni::conv_relu2d)) return nn::conv2d.id();
  if (is_any_of(op, nni::linear_relu)) return nn::linear.id();
  return op;
}

/// The last entry that satisfies the question, or -1.
template <class Question>
constexpr int last_entry(const mapping_view& m, mapping_level level, Question fits) {
  for (int i = m.count - 1; i >= 0; --i)
    if (m.entries[i].level == level && fits(m.entries[i])) return i;
  return -1;
}

/// Writes entry i to the node it means, if there is one. A pass over the nodes for each entry,
/// rather than over the earlier nodes for each node: entries are few.
template <stage Stage>
constexpr void apply_order(graph_view<Stage> g, const mapping_entry& e, int i, list<int>& entry) {
  int order = 0;
  for (int n = 0; n < g.size(); ++n) {
    if (g[n].op != e.op || parent_of(g[n].name) != e.module || order++ != e.order) continue;
    entry[n] = i;
    return;
  }
}

/// The module itself, else the nearest one around it.
constexpr int by_name(const mapping_view& m, std::string_view module) {
  for (; !module.empty(); module = parent_of(module)) {
    const int found = last_entry(m, mapping_level::module_name,
                                 [&](const mapping_entry& e) { return e.module == module; });
    if (found >= 0) return found;
  }
  return -1;
}

/// An expression of the mapping, and the entry that holds where it fits.
struct expression {
  name_regex regex{""};
  int entry = -1;
};

/// In their order; setting an expression again changes its qconfig, not its place.
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

constexpr int by_type(const mapping_view& m, op_id op) {
  const auto search = [&m](op_id type) {
    return last_entry(m, mapping_level::object_type,
                      [type](const mapping_entry& e) { return e.op == type; });
  };
  const int own = search(op);
  return own >= 0 ? own : search(type_of(op));
}

constexpr int global(const mapping_view& m) {
  return last_entry(m, mapping_level::global, [](const mapping_entry&) { return true; });
}

}  // namespace resolving

/// The entry of the mapping for each node, or -1; placeholders and outputs have none.
template <stage Stage>
[[nodiscard]] constexpr list<int> resolve_qconfigs(graph_view<Stage> g, const mapping_view& m) {
  list<int> entry(g.size(), -1);
  bool has_types = false;
  for (int i = 0; i < m.count; ++i) {
    const mapping_entry& e = m.entries[i];
    if (e.level == mapping_level::module_name_object_type_order)
      resolving::apply_order(g, e, i, entry);
    has_types = has_types || e.level == mapping_level::object_type;
  }
  const list<resolving::expression> expressions = resolving::expressions_of(m);
  const int global = resolving::global(m);
  for (int i = 0; i < g.size(); ++i) {
    const node& n = g[i];
    int& found = entry[i];
    if (found >= 0 || n.op->kind == op_kind::placeholder || n.op->kind == op_kind::output) continue;
    const std::string_view module = n.op->kind == op_kind::module ? n.name : parent_of(n.name);
    found = resolving::by_name(m, n.name);
    if (found < 0) found = resolving::by_regex(expressions, module);
    if (found < 0 && has_types) found = resolving::by_type(m, n.op);
    if (found < 0) found = global;
  }
  return entry;
}

}  // namespace ctq
