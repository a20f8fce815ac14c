// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/diagnostic.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/graph/scratch_array.hpp"

// A graph is a list of nodes in an order in which they can be computed; arguments are indices of
// earlier nodes, all in one flat list. At run time passes read a graph_view and return a
// dynamic_graph, in constants they read a static_graph and write another: both have nodes, args and
// count. The stage is part of each type, so passes cannot be applied in a wrong order.
//
// The result of a pass at run time is a template parameter, `class Out = dynamic_graph<…>`, so that
// plans in constants, which do not use it, need not compile it (8 MB for all passes with g++ 12, a
// tenth of the time of the headers with clang 19).

namespace ctq {

/// The stages of a graph, in the order of the passes.
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

/// A non-owning view of a graph of any kind: what passes read at run time.
template <stage Stage>
struct graph_view {
  static constexpr stage at = Stage;
  static constexpr std::size_t max_nodes = 0;  // as many as there are
  static constexpr std::size_t max_args = 0;

  const node* nodes{};
  int count{};
  const int* args{};
  int observers{};  // the number of different ones

  [[nodiscard]] constexpr int size() const { return count; }
  /// The number of arguments of all nodes.
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

/// A view of a temporary graph: passes accept it; classes that store a view reject it.
template <stage Stage>
struct temporary_graph_view : graph_view<Stage> {};

/// A graph that can grow: the result of a pass, or a model that is made at run time.
template <stage Stage>
struct dynamic_graph {
  static constexpr std::size_t max_nodes = 0;
  static constexpr std::size_t max_args = 0;

  list<node> nodes;
  list<int> args;
  int observers{};
  diagnostic problem;  // why the pass failed, if it did

  [[nodiscard]] constexpr graph_view<Stage> view() const& {
    return {nodes.data(), size(), args.data(), observers};
  }
  [[nodiscard]] constexpr temporary_graph_view<Stage> view() const&& { return {view()}; }
  [[nodiscard]] constexpr int size() const { return static_cast<int>(nodes.size()); }

  /// Allocates, so that appending moves nothing, since moves cost compile time.
  constexpr void reserve(int node_count, int arg_count) {
    nodes.reserve(node_count);
    args.reserve(arg_count);
  }

  /// Allocates nodes and arguments, which are then written by index; close() sets their number.
  constexpr void open(int node_count, int arg_count) {
    nodes = list<node>(node_count);
    args = list<int>(arg_count);
  }
  constexpr void close(int node_count, int arg_count) {
    nodes.truncate(node_count);
    args.truncate(arg_count);
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

/// A graph in a constant, with at most Nodes nodes and Args arguments.
template <stage Stage, std::size_t Nodes, std::size_t Args>
struct static_graph {
  static constexpr stage at = Stage;
  static constexpr std::size_t max_nodes = Nodes > 0 ? Nodes : 1;
  static constexpr std::size_t max_args = Args + 1;

  node nodes[max_nodes]{};
  int args[max_args]{};
  int count{};
  int arg_count{};
  int observers{};
  diagnostic problem{};

  constexpr static_graph() = default;
  /// write(graph) fills it in place: clang would copy one that is returned.
  template <class Write>
  constexpr explicit static_graph(Write write) {
    write(*this);
  }

  [[nodiscard]] constexpr graph_view<Stage> view() const& {
    return {nodes, count, args, observers};
  }
  [[nodiscard]] constexpr temporary_graph_view<Stage> view() const&& { return {view()}; }
  [[nodiscard]] constexpr int size() const { return count; }
  [[nodiscard]] constexpr int arg_total() const { return arg_count; }

  constexpr void open(int, int) {}
  constexpr void close(int nodes_written, int args_written) {
    count = nodes_written;
    arg_count = args_written;
  }
};

/// Satisfied by the input of a pass: a graph_view or a static_graph of the stage.
template <class Graph, stage Stage>
concept graph_at = Graph::at == Stage;

/// By node: the number of different nodes that read it.
///   users  by node, all 0
template <class Graph, class Users>
constexpr void count_users(const Graph& g, Users& users) {
  constexpr int few = 8;  // arguments: comparing them is cheaper than a list of readers
  list<int> last_reader;
  for (int i = 0; i < g.count; ++i) {
    const int first = g.nodes[i].first_arg;
    const int count = g.nodes[i].arg_count;
    if (count > few && last_reader.empty()) last_reader = list<int>(g.count, -1);
    for (int a = first; a < first + count; ++a) {
      bool repeated = false;
      if (count > few)
        repeated = std::exchange(last_reader[g.args[a]], i) == i;
      else
        for (int b = first; b < a; ++b) repeated = repeated || g.args[b] == g.args[a];
      if (!repeated) ++users[g.args[a]];
    }
  }
}
template <stage Stage>
[[nodiscard]] constexpr list<int> count_users(graph_view<Stage> g) {
  list<int> users(g.size(), 0);
  count_users(g, users);
  return users;
}

/// The index of the node with this name, or -1.
template <stage Stage>
[[nodiscard]] constexpr int find(graph_view<Stage> g, std::string_view name) {
  for (int i = 0; i < g.size(); ++i)
    if (g[i].number < 0 && g[i].name == name) return i;
  return -1;
}

}  // namespace ctq
