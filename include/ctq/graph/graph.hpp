// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/list.hpp"
#include "ctq/graph/node.hpp"

// A graph is a list of nodes in an order in which they can be computed; arguments are indices of
// earlier nodes, all in one flat list. Passes read a graph_view and return a dynamic_graph; what
// the compiler keeps of it is a static_graph. The stage is part of each type, so passes cannot be
// applied in a wrong order.

namespace ctq {

enum class stage : unsigned char { traced, fused, prepared, reference, lowered };

/// The arguments of one node.
struct argument_list {
  const int* first{};
  int count{};

  [[nodiscard]] constexpr const int* begin() const { return first; }
  [[nodiscard]] constexpr const int* end() const { return first + count; }
  [[nodiscard]] constexpr int size() const { return count; }
  [[nodiscard]] constexpr int operator[](int i) const { return first[i]; }
};

template <stage Stage>
struct graph_view {
  const node* nodes{};
  int count{};
  const int* args{};
  int observers{};  // how many different ones the nodes refer to

  [[nodiscard]] constexpr int size() const { return count; }
  /// How many arguments all nodes have together.
  [[nodiscard]] constexpr int arg_total() const {
    return count == 0 ? 0 : nodes[count - 1].first_arg + nodes[count - 1].arg_count;
  }
  [[nodiscard]] constexpr const node& operator[](int i) const { return nodes[i]; }
  [[nodiscard]] constexpr argument_list args_of(int i) const {
    return {args + nodes[i].first_arg, nodes[i].arg_count};
  }
  [[nodiscard]] constexpr const node& arg(int i, int which) const {
    return nodes[args_of(i)[which]];
  }
};

/// A graph that grows: what a pass returns, and a model made at run time.
template <stage Stage>
struct dynamic_graph {
  list<node> nodes;
  list<int> args;
  int observers{};
  diagnostic problem;  // why the pass gave up, if it did

  [[nodiscard]] constexpr graph_view<Stage> view() const {
    return {nodes.data(), static_cast<int>(nodes.size()), args.data(), observers};
  }

  /// Makes room, so that appending moves nothing: for the compiler every move is a cost.
  constexpr void reserve(int node_count, int arg_count) {
    nodes.reserve(node_count);
    args.reserve(arg_count);
  }

  /// Appends a node whose arguments are the given ones; returns its index.
  constexpr int add(const node& n, const int* first, int count) {
    nodes.push_back(n);
    node& added = nodes.back();
    added.first_arg = static_cast<int>(args.size());
    added.arg_count = count;
    for (int i = 0; i < count; ++i) args.push_back(first[i]);
    return static_cast<int>(nodes.size()) - 1;
  }
  constexpr int add(const node& n, int arg) { return add(n, &arg, 1); }
  constexpr int add(const node& n, const list<int>& a) {
    return add(n, a.data(), static_cast<int>(a.size()));
  }
};

/// A graph in a constant, with room for Nodes and Args.
template <stage Stage, std::size_t Nodes, std::size_t Args>
struct static_graph {
  static constexpr std::size_t max_nodes = Nodes;
  static constexpr std::size_t max_args = Args;

  std::array<node, Nodes> nodes{};
  std::array<int, Args + 1> args{};
  int count{};
  int arg_count{};
  int observers{};
  diagnostic problem{};

  [[nodiscard]] constexpr graph_view<Stage> view() const {
    return {nodes.data(), count, args.data(), observers};
  }
};

/// Keeps what a pass returned. The capacities are bounds the pass states.
template <std::size_t Nodes, std::size_t Args, stage Stage>
[[nodiscard]] constexpr static_graph<Stage, Nodes, Args> freeze(const dynamic_graph<Stage>& g) {
  static_graph<Stage, Nodes, Args> frozen;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) frozen.nodes[i] = g.nodes[i];
  for (std::size_t i = 0; i < g.args.size(); ++i) frozen.args[i] = g.args[i];
  frozen.count = static_cast<int>(g.nodes.size());
  frozen.arg_count = static_cast<int>(g.args.size());
  frozen.observers = g.observers;
  frozen.problem = g.problem;
  return frozen;
}

/// How many different nodes read each node.
template <stage Stage>
[[nodiscard]] constexpr list<int> count_users(graph_view<Stage> g) {
  list<int> users(g.size(), 0);
  for (int i = 0; i < g.size(); ++i) {
    const argument_list args = g.args_of(i);
    for (int a = 0; a < args.size(); ++a) {
      bool repeated = false;
      for (int b = 0; b < a; ++b) repeated = repeated || args[b] == args[a];
      if (!repeated) ++users[args[a]];
    }
  }
  return users;
}

/// The node of this name, or -1.
template <stage Stage>
[[nodiscard]] constexpr int find(graph_view<Stage> g, std::string_view name) {
  for (int i = 0; i < g.size(); ++i)
    if (g[i].number < 0 && g[i].name == name) return i;
  return -1;
}

}  // namespace ctq
