// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/evaluation_options.hpp"
#include "ctq/evaluate/kernels/kernel_functions.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/node_evaluator.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/place_of.hpp"

// A graph of any stage, evaluated op by op as in Python: for tests, for calibration, and to find
// where a quantized model is inaccurate. Shapes are run-time values; nothing is planned.
//
//   evaluator<stage::prepared, fast_kernels> run(g.view(), modules, {.observers = &observers});
//
//   traced, fused   the float model
//   prepared        observes the values; in training fake quantizes them, too
//   reference       float ops between values and weights that are rounded to integers; the
//                   decomposed form clamps values to the observer's range
//   lowered         integers: QNNPACK's arithmetic for linear layers and convolutions
//
// In lowered models all sets of kernels return the bytes of compiled models. One exception: sets
// without fma (scalar, SSE) compute layers that stay in float in double, so the last bits of these
// may differ. At other stages fast_kernels accumulate in float32, and reference_kernels in double.

namespace ctq {

/// Threads   one at a time: it caches folded and packed weights. Two evaluators may share the
///           graph, modules and qparams, but not observers, which stage::prepared changes
/// Lifetime  the graph, the modules and what the options point to must outlive it unchanged; it
///           rejects temporary ones
template <stage Stage, class Kernels = reference_kernels>
class evaluator : public node_evaluator<Stage> {
  using nodes = node_evaluator<Stage>;

 public:
  using nodes::graph;
  using nodes::run_node;

  evaluator(graph_view<Stage> g, const module_state& modules, evaluation_options options)
      : nodes(g, modules, kernel_functions_of<Kernels>(), std::move(options)),
        last_reader_(static_cast<std::size_t>(g.size())) {
    for (int i = 0; i < g.size(); ++i)
      for (const int a : g.args_of(i)) last_reader_[static_cast<std::size_t>(a)] = i;
  }
  evaluator(temporary_graph_view<Stage>, const module_state&, evaluation_options) = delete;
  evaluator(graph_view<Stage>, const module_state&&, evaluation_options) = delete;

  /// The value of each node, by its index; the last is the output.
  ///   inputs  one per placeholder, in their order
  /// Errors  the node, and why it has no value; inputs that no placeholder takes; as
  ///         kernel_functions_of
  [[nodiscard]] result<std::vector<node_value>> run(std::vector<node_value> inputs) {
    return run(std::move(inputs), [](int, std::vector<node_value>&) {});
  }

  /// The output alone, with the same inputs and errors. A value is released after the last node
  /// that reads it: less memory than run(), and often less time.
  [[nodiscard]] result<node_value> forward(std::vector<node_value> inputs) {
    auto values = run(std::move(inputs), [this](int i, std::vector<node_value>& all) {
      for (const int a : graph().args_of(i))
        if (last_reader_[static_cast<std::size_t>(a)] == i) all[static_cast<std::size_t>(a)] = {};
    });
    if (!values) return unexpected{values.error()};
    return std::move(values->back());
  }

 private:
  /// Calls `computed(i, values)` after each node.
  template <class Computed>
  [[nodiscard]] result<std::vector<node_value>> run(std::vector<node_value> inputs,
                                                    Computed&& computed) {
    std::vector<node_value> values;
    values.reserve(static_cast<std::size_t>(graph().size()));
    std::size_t next = 0;
    for (int i = 0; i < graph().size(); ++i) {
      if (graph()[i].op->kind == op_kind::placeholder) {
        if (next == inputs.size()) return fail(place_of(graph()[i]), "has no input");
        const quantized_tensor* const integers = inputs[next].integers();
        if (integers != nullptr && !float_ops::is_whole(integers->elements()))
          return fail(place_of(graph()[i]), "its input has a shape that does not match its data");
        values.push_back(std::move(inputs[next++]));
        continue;
      }
      std::vector<node_value> reads;
      for (const int a : graph().args_of(i)) reads.push_back(values[static_cast<std::size_t>(a)]);
      result<node_value> value = run_node(i, reads);
      if (!value) return unexpected{value.error()};
      values.push_back(*std::move(value));
      computed(i, values);
    }
    if (next != inputs.size())
      return fail("inputs", std::to_string(inputs.size()) + " are given, the graph has " +
                                std::to_string(next));
    return values;
  }

  std::vector<int> last_reader_;  // of each node's value
};

}  // namespace ctq
