// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>

#include "ctq/graph/graph.hpp"
#include "ctq/ops/op.hpp"

// The nodes that a program packs and runs. Those of a plan refer to everything that passes read:
// observers of the mapping, shape rules and gradients of ops, the ops that these become. The
// compiler would generate code for all of it.

namespace ctq {

namespace run_graphs {

/// The descriptor without the fields that only passes and training read.
constexpr op_descriptor stripped(op_descriptor d) {
  d.infer_shape = nullptr;
  d.functions.add_gradient = nullptr;
  d.inner_observers = nullptr;
  d.integer_form = d.integer_relu_form = d.dynamic_form = d.dynamic_relu_form = nullptr;
  d.weight_only_form = d.with_relu = d.module_form = d.float_form = nullptr;
  for (op_id& form : d.integer_forms_then) form = nullptr;
  for (op_id& part : d.fused_of) part = nullptr;
  d.schedule.sizes = nullptr;
  d.schedule.view = nullptr;
  d.schedule.then = nullptr;
  return d;
}

/// An op with the same name and another descriptor.
constexpr op_info with_descriptor(const op_info& op, const op_descriptor* d) {
  return {op.kind, op.name, d, op.builtin, op.hash};
}

/// The node with only what packing and running need; its op becomes this one.
constexpr void strip(node& n, op_id op) {
  n.op = op;
  n.observer_config = n.weight = nullptr;
  n.choice = {};
}

/// An op with only what running it needs.
template <op_id Op>
struct run_op {
  static constexpr op_descriptor descriptor = stripped(*Op->descriptor);
  static constexpr op_info info = with_descriptor(*Op, &descriptor);
};

template <const auto& Graph, std::size_t... I>
constexpr auto stripped(std::index_sequence<I...>) {
  auto g = Graph;
  (strip(g.nodes[I], &run_op<Graph.nodes[I].op>::info), ...);
  g.problem = {};
  return g;
}

}  // namespace run_graphs

/// A lowered graph in a constant, with only what packing and running need.
template <const auto& Graph>
inline constexpr auto run_graph =
    run_graphs::stripped<Graph>(std::make_index_sequence<static_cast<std::size_t>(Graph.size())>{});

}  // namespace ctq
