// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/graph/argument_places.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/integers.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/passes/fx_semantics.hpp"
#include "ctq/passes/pattern_index.hpp"

// The occurrences of a backend's patterns in a graph.
//
// As in PyTorch: longer patterns are tried first, equally long ones in the order of the backend;
// inner nodes of an occurrence have one reader; the graph is scanned from its end, so of
// overlapping occurrences the one nearest the output is taken. Beyond PyTorch: a pattern with
// a commutative op matches both orders of its arguments, and no node that computes with integers is
// part of an occurrence.

namespace ctq {

/// One occurrence of a pattern.
struct occurrence {
  int first = 0;      // of its parts
  int count = 0;      // one per element of the pattern
  int config = -1;    // of the backend
  int root_part = 0;  // the element whose node owns the weight

  /// match_all matches a literal, which is not a node.
  static constexpr int literal = ~0x7fffffff;
};

/// All occurrences of some patterns that do not overlap, nearest the output first.
template <class Graph>
struct occurrences {
  static constexpr std::size_t max_nodes = Graph::max_nodes;
  static constexpr std::size_t max_parts =
      max_nodes == 0 ? 0 : max_nodes + Graph::max_args + max_pattern;

  scratch_array<int, max_nodes> of_node{};  // by node: the occurrence it belongs to, or -1
  scratch_array<occurrence, max_nodes> found{};
  scratch_array<int, max_parts> part{};  // nodes; ~n where match_all matches node n, or literal
  int count = 0;

  /// The node nearest the output.
  [[nodiscard]] constexpr int last(int k) const { return part[found[k].first]; }
  /// The node that owns the weight.
  [[nodiscard]] constexpr int root(int k) const {
    return part[found[k].first + found[k].root_part];
  }
};

namespace matching {

template <class Graph, class Patterns>
class finder {
 public:
  constexpr finder(const Graph& g, const Patterns& patterns, semantics s, occurrences<Graph>& out)
      : g_(g),
        patterns_(patterns),
        both_orders_(!patterns_have_one_order(s)),
        positional_only_(patterns_see_positional_arguments_only(s)),
        out_(out) {
    resize_all(g.count, users_, out.of_node, out.found);
    count_users(g, users_);
    for (int i = 0; i < g.count; ++i) {
      out.of_node[i] = -1;
      if (is_index(g.nodes[i].dtype)) has_integers_ = true;
    }
    for (int i = g.count - 1; i >= 0; --i)
      if (out.of_node[i] < 0) find(i);
  }

 private:
  /// Keeps the first pattern that occurs with its last node at i.
  constexpr void find(int i) {
    const op_id op = g_.nodes[i].op;
    const bool in_order = g_.nodes[i].row == nullptr || !positional_only_;
    const op_id inner = in_order && g_.nodes[i].arg_count == 1
                            ? g_.nodes[g_.args[g_.nodes[i].first_arg]].op
                            : nullptr;
    if constexpr (occurrences<Graph>::max_parts == 0)
      while (static_cast<int>(out_.part.size()) < parts_ + static_cast<int>(max_pattern))
        out_.part.push_back(0);
    for (int p = patterns_.head[op->hash % patterns_.buckets]; p >= 0; p = patterns_.next[p]) {
      const int first = patterns_.first[p];
      if (patterns_.op[first] != op) continue;
      // Fast path: rejects most patterns of a relu.
      if (inner != nullptr && patterns_.args[first] == 1 && patterns_.op[first + 1] != inner &&
          patterns_.op[first + 1] != nullptr)
        continue;
      first_ = first;
      if (fits(i, first)) return keep(p, patterns_.extent[first]);
    }
  }

  /// Keeps the occurrence, unless one of its nodes belongs to another one.
  constexpr void keep(int p, int count) {
    for (int e = parts_; e < parts_ + count; ++e)
      if (out_.part[e] >= 0 && out_.of_node[out_.part[e]] >= 0) return;
    const op_id root = patterns_.op[first_ + patterns_.root[p]];
    if (count > 1 && root != nullptr && root->descriptor->layer_axes == 0)
      for (int e = parts_; e < parts_ + count; ++e)
        if (out_.part[e] >= 0 && normalizes_other_axis(out_.part[e])) return;
    for (int e = parts_; e < parts_ + count; ++e)
      if (out_.part[e] >= 0) out_.of_node[out_.part[e]] = out_.count;
    out_.found[out_.count].first = parts_;
    out_.found[out_.count].count = count;
    out_.found[out_.count].config = patterns_.config[p];
    out_.found[out_.count].root_part = patterns_.root[p];
    parts_ += count;
    ++out_.count;
  }

  /// Whether the tree of the pattern at an element matches at a node; -1: a literal.
  constexpr bool fits(int node, int element) {
    int& part = out_.part[parts_ + element - first_];
    if (patterns_.op[element] == nullptr) {
      part = node < 0 ? occurrence::literal : ~node;
      return true;
    }
    if (node < 0 || patterns_.op[element] != g_.nodes[node].op) return false;
    if (element != first_ && users_[node] > 1) return false;
    if (has_integers_ && computes_with_integers(g_.nodes, g_.args, node)) return false;
    part = node;
    const int args = patterns_.args[element];
    if (args == 0) return true;
    if (positional_only_ && g_.nodes[node].row != nullptr) return positional_fit(node, element);
    if (args != g_.nodes[node].arg_count) return false;
    if (arguments_fit(node, element, false)) return true;
    return args == 2 && both_orders_ && g_.nodes[node].op->descriptor->is_commutative &&
           arguments_fit(node, element, true);
  }

  /// Whether a batch norm cannot be folded into a linear layer: it normalizes axis 1, the layer's
  /// outputs are along the last axis. PyTorch folds it all the same.
  [[nodiscard]] constexpr bool normalizes_other_axis(int node) const {
    const auto& n = g_.nodes[node];
    return n.op->descriptor->is_batch_norm && n.shape.rank > 2;
  }

  constexpr bool arguments_fit(int node, int element, bool swapped) {
    const int first = g_.nodes[node].first_arg;
    const int args = patterns_.args[element];
    int at = element + 1;
    for (int a = 0; a < args; ++a) {
      if (!fits(g_.args[first + (swapped ? args - 1 - a : a)], at)) return false;
      at += patterns_.extent[at];
    }
    return true;
  }

  constexpr bool positional_fit(int node, int element) {
    const list<int> positional = positional_nodes(g_, node);
    if (static_cast<int>(positional.size()) != patterns_.args[element]) return false;
    int at = element + 1;
    for (const int arg : positional) {
      if (!fits(arg, at)) return false;
      at += patterns_.extent[at];
    }
    return true;
  }

  const Graph& g_;
  const Patterns& patterns_;
  bool both_orders_{};
  bool positional_only_{};
  bool has_integers_ = false;
  occurrences<Graph>& out_;
  scratch_array<int, Graph::max_nodes> users_{};
  int parts_ = 0;  // of the occurrences kept
  int first_ = 0;  // element of the pattern that is tried
};

}  // namespace matching

/// All occurrences of the patterns.
template <class Graph, class Patterns>
constexpr void find_all(const Graph& g, const Patterns& patterns, semantics s,
                        occurrences<Graph>& out) {
  matching::finder<Graph, Patterns>{g, patterns, s, out};
}

/// wanted(config) selects patterns.
template <stage Stage, class Wanted>
[[nodiscard]] constexpr occurrences<graph_view<Stage>> find_all(graph_view<Stage> g,
                                                                const backend_view& backend,
                                                                Wanted wanted, semantics s = {}) {
  dynamic_pattern_index patterns;
  index_patterns(backend, wanted, patterns);
  occurrences<graph_view<Stage>> out;
  find_all(g, patterns, s, out);
  return out;
}

}  // namespace ctq
