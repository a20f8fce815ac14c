// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>

#include "ctq/core/list.hpp"
#include "ctq/core/ops.hpp"
#include "ctq/graph/argument_places.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/passes/fx_semantics.hpp"
#include "ctq/spec/backend_config.hpp"

// Where the patterns of a backend occur in a graph.
//
// As in PyTorch: longer patterns are tried first, equally long ones in the order of the backend;
// inner nodes of an occurrence have one reader; the graph is scanned from its end, so overlapping
// occurrences are decided in favour of the one nearest the output. Beyond PyTorch: a pattern with
// add or mul matches both orders of its arguments.

namespace ctq {

struct occurrence {
  int config = -1;    // of the backend; -1: none
  int root_at = -1;   // the element whose node owns the weight
  list<int> nodes{};  // by element of the pattern; ~n where match_all stands for node n, or literal

  /// match_all stands for a literal, which is no node.
  static constexpr int literal = ~0x7fffffff;

  [[nodiscard]] constexpr bool found() const { return config >= 0; }
  /// The node nearest the output.
  [[nodiscard]] constexpr int last() const { return nodes[0]; }
  /// The node that owns the weight.
  [[nodiscard]] constexpr int root() const { return nodes[root_at]; }
};

/// The element of the root: where the config says, else what is reached by taking the last
/// element of each tuple, MatchAllNode left out.
[[nodiscard]] constexpr int root_element(const backend_pattern_config_record& c) {
  if (!c.root_node_getter.empty()) return element_at(c.pattern, c.root_node_getter);
  int i = c.pattern.element.size() - 1;
  while (i > 0 && c.pattern.element[i].op == nullptr) --i;
  return i;
}

[[nodiscard]] constexpr bool is_commutative(op_id op) {
  return is_any_of(op, op::add, fn::add, op::mul, fn::mul);
}

class matcher {
 public:
  /// wanted(config) selects patterns.
  template <class Wanted>
  constexpr matcher(const backend_view& backend, Wanted wanted, semantics s = {})
      : backend_(backend), semantics_(s), next_(backend.configs.size(), -1) {
    head_.fill(-1);
    tail_.fill(-1);
    for (const backend_pattern_config_record& c : backend.configs)
      longest_ = c.pattern.element.size() > longest_ ? c.pattern.element.size() : longest_;
    for (int length = longest_; length > 0; --length)
      for (int i = 0; i < backend.configs.size(); ++i)
        if (backend.configs[i].pattern.element.size() == length && wanted(backend.configs[i]))
          append(i);
  }

  /// The first pattern that occurs with its last node at `node`.
  template <stage Stage>
  constexpr void find(const graph_view<Stage>& g, const list<int>& users, int node,
                      occurrence& o) const {
    const op_id op = g.nodes[node].op;
    o.config = -1;
    for (int i = head_[op->hash % buckets]; i >= 0; i = next_[i]) {
      const backend_pattern_config_record& c = backend_.configs.items[i];
      const pattern_record& p = c.pattern;
      if (p.element.items[0].op != op) continue;
      o.nodes.clear();
      for (int e = 0; e < p.element.count; ++e) o.nodes.push_back(-1);
      if (!fits(g, users, node, p, 0, o, true)) continue;
      o.config = i;
      o.root_at = root_element(c);
      return;
    }
  }

 private:
  static constexpr std::size_t buckets = 64;

  constexpr void append(int config) {
    const op_id anchor = backend_.configs[config].pattern.anchor();
    if (anchor == nullptr) return;  // a pattern that is match_all alone says nothing
    const std::size_t b = anchor->hash % buckets;
    if (head_[b] < 0) {
      head_[b] = config;
    } else {
      next_[tail_[b]] = config;
    }
    tail_[b] = config;
  }

  template <stage Stage>
  constexpr bool fits(const graph_view<Stage>& g, const list<int>& users, int node,
                      const pattern_record& p, int element, occurrence& o, bool is_last) const {
    const pattern_element& e = p.element.items[element];
    if (e.op == nullptr) {
      o.nodes[element] = node < 0 ? occurrence::literal : ~node;
      return true;
    }
    if (node < 0 || e.op != g.nodes[node].op) return false;
    if (!is_last && users[node] > 1) return false;
    o.nodes[element] = node;
    if (e.args == 0) return true;
    if (g.nodes[node].row != nullptr && patterns_see_positional_arguments_only(semantics_)) {
      const list<int> positional = positional_nodes(g, node);
      const argument_list args{positional.data(), static_cast<int>(positional.size())};
      return e.args == args.size() && arguments_fit(g, users, args, p, element, o, false);
    }
    const argument_list args = g.args_of(node);
    if (e.args != args.size()) return false;
    if (arguments_fit(g, users, args, p, element, o, false)) return true;
    return args.size() == 2 && is_commutative(e.op) && !patterns_have_one_order(semantics_) &&
           arguments_fit(g, users, args, p, element, o, true);
  }

  /// args: nodes, -1 for a literal
  template <stage Stage>
  constexpr bool arguments_fit(const graph_view<Stage>& g, const list<int>& users,
                               const argument_list& args, const pattern_record& p, int element,
                               occurrence& o, bool swapped) const {
    int at = element + 1;
    for (int a = 0; a < args.count; ++a) {
      const int arg = args.first[swapped ? args.count - 1 - a : a];
      if (!fits(g, users, arg, p, at, o, false)) return false;
      at += p.element.items[at].args == 0 ? 1 : subtree(p, at);
    }
    return true;
  }

  backend_view backend_;
  semantics semantics_{};
  std::array<int, buckets> head_{};
  std::array<int, buckets> tail_{};
  list<int> next_;
  int longest_ = 0;
};

/// All occurrences of the wanted patterns that do not overlap, nearest the output first; and for
/// each node the occurrence it belongs to, or -1.
struct occurrences {
  list<occurrence> found;
  list<int> of_node;
};

template <stage Stage, class Wanted>
[[nodiscard]] constexpr occurrences find_all(graph_view<Stage> g, const backend_view& backend,
                                             Wanted wanted, semantics s = {}) {
  const matcher patterns{backend, wanted, s};
  const list<int> users = count_users(g);
  occurrences all{{}, list<int>(g.size(), -1)};
  occurrence o;
  for (int i = g.size() - 1; i >= 0; --i) {
    if (all.of_node[i] >= 0) continue;
    patterns.find(g, users, i, o);
    if (!o.found()) continue;
    bool free = true;
    for (const int n : o.nodes) free = free && (n < 0 || all.of_node[n] < 0);
    if (!free) continue;
    for (const int n : o.nodes)
      if (n >= 0) all.of_node[n] = static_cast<int>(all.found.size());
    all.found.push_back(o);
  }
  return all;
}

}  // namespace ctq
