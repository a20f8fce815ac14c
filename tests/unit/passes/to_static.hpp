// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/graph/graph.hpp"
#include "ctq/passes/schedule/step.hpp"

// Constants of graphs and schedules that a pass returned, so that static_asserts can look at them.

namespace ctq {

/// Keeps what a pass returned. The capacities are bounds the pass states.
template <std::size_t Nodes, std::size_t Args, stage Stage>
[[nodiscard]] constexpr static_graph<Stage, Nodes, Args> to_static(const dynamic_graph<Stage>& g) {
  static_graph<Stage, Nodes, Args> static_copy;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) static_copy.nodes[i] = g.nodes[i];
  for (std::size_t i = 0; i < g.args.size(); ++i) static_copy.args[i] = g.args[i];
  static_copy.count = static_cast<int>(g.nodes.size());
  static_copy.arg_count = static_cast<int>(g.args.size());
  static_copy.observers = g.observers;
  static_copy.problem = g.problem;
  return static_copy;
}

template <std::size_t Steps, std::size_t Observations>
[[nodiscard]] constexpr static_schedule<Steps, Observations> to_static(const dynamic_schedule& s) {
  static_schedule<Steps, Observations> out;
  static_cast<schedule_record&>(out) = s;
  for (std::size_t i = 0; i < s.steps.size(); ++i) out.steps[i] = s.steps[i];
  for (std::size_t i = 0; i < s.observations.size(); ++i) out.observations[i] = s.observations[i];
  for (int i = 0; i < s.input_count; ++i) out.inputs[i] = s.inputs[i];
  for (int i = 0; i < s.output_count; ++i) out.outputs[i] = s.outputs[i];
  out.count = static_cast<int>(s.steps.size());
  out.observation_count = static_cast<int>(s.observations.size());
  return out;
}

}  // namespace ctq
