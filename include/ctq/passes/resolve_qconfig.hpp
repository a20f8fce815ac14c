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
// module that its name is inside of: "layer1.0.add" to "layer1.0".

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

constexpr int by_order(const mapping_view& m, std::string_view container, op_id op, int order) {
  return last_entry(m, mapping_level::module_name_object_type_order, [&](const mapping_entry& e) {
    return e.module == container && e.op == op && e.order == order;
  });
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

/// The first expression that fits; setting one again changes its qconfig, not its place.
constexpr int by_regex(const mapping_view& m, std::string_view module) {
  for (int i = 0; i < m.count; ++i) {
    const mapping_entry& e = m.entries[i];
    if (e.level != mapping_level::module_name_regex || !regex_matches(e.module, module)) continue;
    return last_entry(m, mapping_level::module_name_regex,
                      [&](const mapping_entry& later) { return later.module == e.module; });
  }
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
  bool has_orders = false;
  bool has_types = false;
  bool has_regexes = false;
  for (int i = 0; i < m.count; ++i) {
    has_orders = has_orders || m.entries[i].level == mapping_level::module_name_object_type_order;
    has_types = has_types || m.entries[i].level == mapping_level::object_type;
    has_regexes = has_regexes || m.entries[i].level == mapping_level::module_name_regex;
  }
  list<int> entry(static_cast<std::size_t>(g.size()), -1);
  for (int i = 0; i < g.size(); ++i) {
    const node& n = g[i];
    if (n.op->kind == op_kind::placeholder || n.op->kind == op_kind::output) continue;
    const std::string_view container = parent_of(n.name);
    const std::string_view module = n.op->kind == op_kind::module ? n.name : container;
    int found = -1;
    if (has_orders) {
      int order = 0;
      for (int k = 0; k < i; ++k)
        order += g[k].op == n.op && parent_of(g[k].name) == container ? 1 : 0;
      found = resolving::by_order(m, container, n.op, order);
    }
    if (found < 0) found = resolving::by_name(m, module);
    if (found < 0 && has_regexes) found = resolving::by_regex(m, module);
    if (found < 0 && has_types) found = resolving::by_type(m, n.op);
    if (found < 0) found = resolving::global(m);
    entry[static_cast<std::size_t>(i)] = found;
  }
  return entry;
}

}  // namespace ctq
