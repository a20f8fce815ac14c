// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>

#include "ctq/passes/explain/explanation_text.hpp"

// An explanation as a graph in Graphviz's DOT language, for `dot -Tsvg`.

namespace ctq {

namespace explaining {

/// A box: green on integers, white in float, grey if it is not read.
template <class Text>
constexpr void dot_node(Text& out, const explained_node& n, const backend_view& backend) {
  static_text<600> words;
  append_all(words, n.name, ": ", short_name(n.op));
  quoted(out, n.name);
  out.append(" [label=");
  quoted(out, words.view());
  if (is_call(n.op)) {
    words = {};
    reason(words, n, backend);
    out.append(", tooltip=");
    quoted(out, words.view());
    append_all(out, ", fillcolor=", !n.is_read ? "gray85" : n.on_integers ? "palegreen" : "white");
  } else {
    out.append(", shape=ellipse");
  }
  out.append("];\n");
}

/// The node whose kernel computes this one.
constexpr std::string_view kernel_of(const explained_node& n) {
  return n.fused_into.empty() ? n.runs_in : n.fused_into;
}

/// Draws one frame around nodes that run as one, or in one kernel.
template <class Text>
constexpr void dot_frames(Text& out, const explained_model& m) {
  const auto count = static_cast<int>(m.nodes.size());
  name_index names(count);
  for (int i = 0; i < count; ++i) names.add(m.nodes[i].name, i);
  // By node: the first one that its kernel computes, and the next one in the same kernel.
  list<int> first(count, -1);
  list<int> next(count, -1);
  list<bool> has_parts(count, false);
  for (int i = count - 1; i >= 0; --i) {
    const int host = m.nodes[i].is_read ? names.find(kernel_of(m.nodes[i])) : -1;
    if (host < 0) continue;
    next[i] = std::exchange(first[host], i);
    has_parts[host] = has_parts[host] || host != i;
  }
  int frames = 0;
  for (int host = 0; host < count; ++host) {
    if (!has_parts[host]) continue;
    append_all(out, "subgraph cluster_", frames++, " { style=dashed; ");
    for (int i = first[host]; i >= 0; i = next[i]) {
      quoted(out, m.nodes[i].name);
      out.append("; ");
    }
    out.append("}\n");
  }
}

/// The observer of a node's output: that of the node in which it runs.
constexpr int observer_of_value(const explained_node& n) { return n.is_read ? n.observer : -1; }

}  // namespace explaining

/// Appends a digraph: nodes, frames around those that run as one, edges with the qparams
/// of their values.
template <class Text>
constexpr void append_dot(Text& out, const explained_model& m) {
  out.append("digraph model {\nnode [shape=box, style=filled, fillcolor=white];\n");
  for (const explained_node& n : m.nodes) explaining::dot_node(out, n, m.backend);
  explaining::dot_frames(out, m);
  for (const explained_node& n : m.nodes)
    for (const int a : n.reads) {
      const explained_node& from = m.nodes[a];
      explaining::quoted(out, from.name);
      out.append(" -> ");
      explaining::quoted(out, n.name);
      const bool inside = from.is_read && from.runs_in == n.runs_in;
      const int observer = explaining::observer_of_value(from);
      if (!inside && observer >= 0) append_all(out, " [label=\"#", observer, "\"]");
      out.append(";\n");
    }
  out.append("}\n");
}

}  // namespace ctq
