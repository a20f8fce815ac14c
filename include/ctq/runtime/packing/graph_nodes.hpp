// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/containers/span.hpp"
#include "ctq/graph/parameter_arguments.hpp"

namespace ctq {

/// The nodes of a graph at run time, whatever its stage.
struct graph_nodes {
  span<const node> nodes;
  span<const int> args;

  graph_nodes(span<const node> n, span<const int> a) : nodes(n), args(a) {}
  template <class Graph>
  requires requires(const Graph& g) { g.view(); }
  graph_nodes(const Graph& g) : graph_nodes(g.view()) {}  // NOLINT(google-explicit-constructor)
  template <stage Stage>
  graph_nodes(const graph_view<Stage>& g)  // NOLINT(google-explicit-constructor)
      : nodes(g.nodes, static_cast<std::size_t>(g.size())),
        args(g.args, static_cast<std::size_t>(g.arg_total())) {}

  /// As ctq::parameter_of, for a node of this graph.
  [[nodiscard]] const node* parameter_of(const node& n, int a) const {
    const int found =
        ctq::parameter_of(nodes.data(), args.data(), static_cast<int>(&n - nodes.data()), a);
    return found < 0 ? nullptr : &nodes[static_cast<std::size_t>(found)];
  }
  /// Whether a node is a parameter or buffer of the model that is an operand of steps.
  [[nodiscard]] bool is_constant(const node& n) const {
    return n.op != nullptr && n.op->kind == op_kind::get_attr &&
           !is_only_parameter(nodes.data(), args.data(), static_cast<int>(nodes.size()),
                              static_cast<int>(&n - nodes.data()));
  }
};

}  // namespace ctq
