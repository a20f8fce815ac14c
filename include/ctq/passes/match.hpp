// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>

#include "ctq/core/list.hpp"
#include "ctq/core/ops.hpp"
#include "ctq/graph/graph.hpp"
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
  list<int> nodes{};  // by element of the pattern; ~n where match_all stands for node n

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
  constexpr explicit matcher(const backend_view& backend)
      : backend_(backend), next_(backend.configs.size(), -1) {
    head_.fill(-1);
    tail_.fill(-1);
    for (const backend_pattern_config_record& c : backend.configs)
      longest_ = c.pattern.element.size() > longest_ ? c.pattern.element.size() : longest_;
    for (int length = longest_; length > 0; --length)
      for (int i = 0; i < backend.configs.size(); ++i)
        if (backend.configs[i].pattern.element.size() == length) append(i);
  }

  /// The first pattern that occurs with its last node at `node`. wanted(config) selects patterns.
  template <stage Stage, class Wanted>
  [[nodiscard]] constexpr occurrence find(graph_view<Stage> g, const list<int>& users, int node,
                                          Wanted wanted) const {
    const op_id op = g[node].op;
    occurrence o;
    o.nodes.reserve(longest_);
    for (int i = head_[bucket(op)]; i >= 0; i = next_[i]) {
      const backend_pattern_config_record& c = backend_.configs[i];
      if (c.pattern.anchor() != op || !wanted(c)) continue;
      o.nodes.clear();
      for (int e = 0; e < c.pattern.element.size(); ++e) o.nodes.push_back(-1);
      if (!fits(g, users, node, c.pattern, 0, o, true)) continue;
      o.config = i;
      o.root_at = root_element(c);
      break;
    }
    return o;
  }

 private:
  static constexpr std::size_t buckets = 64;

  static constexpr std::size_t bucket(op_id op) {
    const std::size_t n = op->name.size();
    const char* const end = op->name.data() + n;
    std::size_t h = n;
    for (const char* c = n > 4 ? end - 4 : op->name.data(); c != end; ++c)
      h = h * 31 + static_cast<unsigned char>(*c);
    return h % buckets;
  }

  constexpr void append(int config) {
    const op_id anchor = backend_.configs[config].pattern.anchor();
    if (anchor == nullptr) return;  // a pattern that is match_all alone says nothing
    const std::size_t b = bucket(anchor);
    if (head_[b] < 0) {
      head_[b] = config;
    } else {
      next_[tail_[b]] = config;
    }
    tail_[b] = config;
  }

  template <stage Stage>
  constexpr bool fits(graph_view<Stage> g, const list<int>& users, int node,
                      const pattern_record& p, int element, occurrence& o, bool is_last) const {
    const pattern_element& e = p.element[element];
    if (e.op == nullptr) {
      o.nodes[element] = ~node;
      return true;
    }
    if (e.op != g[node].op) return false;
    if (!is_last && users[node] > 1) return false;
    o.nodes[element] = node;
    const argument_list args = g.args_of(node);
    if (e.args == 0) return true;
    if (e.args != args.size()) return false;
    if (arguments_fit(g, users, args, p, element, o, false)) return true;
    return args.size() == 2 && is_commutative(e.op) &&
           arguments_fit(g, users, args, p, element, o, true);
  }

  template <stage Stage>
  constexpr bool arguments_fit(graph_view<Stage> g, const list<int>& users, argument_list args,
                               const pattern_record& p, int element, occurrence& o,
                               bool swapped) const {
    int at = element + 1;
    for (int a = 0; a < args.size(); ++a) {
      const int arg = args[swapped ? args.size() - 1 - a : a];
      if (!fits(g, users, arg, p, at, o, false)) return false;
      at += subtree(p, at);
    }
    return true;
  }

  backend_view backend_;
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
                                             Wanted wanted) {
  const matcher patterns{backend};
  const list<int> users = count_users(g);
  occurrences all{{}, list<int>(g.size(), -1)};
  for (int i = g.size() - 1; i >= 0; --i) {
    if (all.of_node[i] >= 0) continue;
    const occurrence o = patterns.find(g, users, i, wanted);
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
