// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/passes/explain/words.hpp"

// An explanation as a picture: a graph in Graphviz's language, for `dot -Tsvg`.

namespace ctq {

namespace explaining {

/// A box: green on integers, white in float, grey where nothing reads it.
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
  return n.joined_to.empty() ? n.runs_in : n.joined_to;
}

/// Nodes that run as one, or are joined in one kernel, are in one frame.
template <class Text>
constexpr void dot_frames(Text& out, const explained_model& m) {
  int frames = 0;
  for (const explained_node& host : m.nodes) {
    bool has_parts = false;
    for (const explained_node& n : m.nodes)
      has_parts = has_parts || (n.is_read && n.name != host.name && kernel_of(n) == host.name);
    if (!has_parts) continue;
    append_all(out, "subgraph cluster_", frames++, " { style=dashed; ");
    for (const explained_node& n : m.nodes) {
      if (kernel_of(n) != host.name || !n.is_read) continue;
      quoted(out, n.name);
      out.append("; ");
    }
    out.append("}\n");
  }
}

/// The observer of what a node gives, as the node that it runs in has it.
constexpr int observer_of_value(const explained_node& n) { return n.is_read ? n.observer : -1; }

}  // namespace explaining

/// Appends a digraph: nodes, frames around those that run as one, edges with the qparams of what
/// flows along them.
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
