// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/graph.hpp"

// Removes nodes that are not read any more once a pass has written its graph.

namespace ctq {

/// Removes unread nodes: the results of float ops that were skipped.
template <class Graph>
constexpr void remove_dead_nodes(Graph& g) {
  const int count = g.size();
  scratch_array<bool, Graph::max_nodes> needed{};
  scratch_array<int, Graph::max_nodes> moved{};
  resize_all(count, needed, moved);
  int kept = 0;
  for (int i = count - 1; i >= 0; --i) {
    const op_kind kind = g.nodes[i].op->kind;
    if (kind == op_kind::output || kind == op_kind::placeholder) needed[i] = true;
    if (!needed[i]) continue;
    ++kept;
    const int first = g.nodes[i].first_arg;
    for (int a = first; a < first + g.nodes[i].arg_count; ++a) needed[g.args[a]] = true;
  }
  if (kept == count) return;
  int nodes = 0;
  int args = 0;
  for (int i = 0; i < count; ++i) {
    if (!needed[i]) continue;
    const int first = g.nodes[i].first_arg;
    if (nodes != i) g.nodes[nodes] = g.nodes[i];
    g.nodes[nodes].first_arg = args;
    for (int a = first; a < first + g.nodes[nodes].arg_count; ++a)
      g.args[args++] = moved[g.args[a]];
    moved[i] = nodes++;
  }
  g.close(nodes, args);
}

}  // namespace ctq
