// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/integers.hpp"
#include "ctq/ops/broadcast.hpp"
#include "ctq/passes/schedule/code_choice.hpp"
#include "ctq/passes/schedule/fused_steps.hpp"
#include "ctq/passes/schedule/memory.hpp"
#include "ctq/passes/schedule/step.hpp"

// Appends steps, and tracks the values that they read and write. finish() plans the arena, once all
// steps are known.

namespace ctq::scheduling {

/// A value is a contiguous block of memory; several nodes may be views of it. By node: the value of
/// its output, and the order of its elements.
template <class Graph, class Schedule>
class step_writer {
 public:
  constexpr step_writer(const Graph& g, Schedule& out) : g_(g), out_(out) {
    const int steps = 2 * (g.count + g.arg_total());
    out_.open(steps, g.count);
    resize_all(g.count, value_of_, order_of_, observed_);
    resize_all(steps + 2, values_, area_);
    resize_all(steps, in_, second_in_, written_);
  }

  constexpr void finish(layers l = layers::alone) {
    steps_ = fuse_steps(steps_and_values{out_.steps, in_, second_in_, written_, values_, area_},
                        steps_, l);
    if (l == layers::fused)
      for (int s = 0; s < steps_; ++s)
        out_.steps[s].code = chosen_code(layer_size_of(out_.steps[s].signature));
    scratch_array<int, max_values> live{};
    resize(live, count_);
    out_.arena_bytes = plan_memory(values_, count_, live);
    for (int s = 0; s < steps_; ++s) {
      out_.steps[s].in[0] = {area_[in_[s]], values_[in_[s]].offset};
      out_.steps[s].out.in = area_[written_[s]];
      out_.steps[s].out.offset = values_[written_[s]].offset;
      if (const int y = second_in_[s]; y >= 0) out_.steps[s].in[1] = {area_[y], values_[y].offset};
    }
    for (int p = 0; p < observations_; ++p) {
      out_.observations[p].where.in = area_[observed_[p]];
      out_.observations[p].where.offset = values_[observed_[p]].offset;
    }
    out_.close(steps_, observations_);
  }

 protected:
  static constexpr std::size_t max_nodes = Graph::max_nodes;
  static constexpr std::size_t max_steps = Schedule::max_steps;
  static constexpr std::size_t max_values = max_steps == 0 ? 0 : max_steps + 2;

  [[nodiscard]] constexpr int arg(int i, int which = 0) const {
    return g_.args[g_.nodes[i].first_arg + which];
  }
  [[nodiscard]] constexpr int elements_of(int i) const {
    int n = 1;
    for (int axis = 0; axis < g_.nodes[i].shape.rank; ++axis) n *= g_.nodes[i].shape.extent[axis];
    return n;
  }

  constexpr int new_value(std::size_t bytes, place::area area = place::area::arena) {
    values_[count_].bytes = area == place::area::arena ? bytes : 0;
    values_[count_].written = values_[count_].read = steps_;
    area_[count_] = area;
    return count_++;
  }
  /// Makes a new value, in this order, the output of node i.
  constexpr int new_output(int i, layout order) {
    const int out = new_value(static_cast<std::size_t>(elements_of(i)) *
                              size_of(element_type(g_.nodes[i].dtype)));
    value_of_[i] = out;
    order_of_[i] = order;
    return out;
  }
  /// Makes the output of node i that of another node.
  constexpr void same_as(int i, int other) {
    value_of_[i] = value_of_[other];
    order_of_[i] = order_of_[other];
  }

  /// Sets the sizes in the signature of the next step.
  template <class Shape>
  constexpr void next_sizes(Shape s) {
    out_.steps[steps_].signature.size = to_block<kernel_signature::sizes>(s);
  }
  constexpr void next_sizes(const kernel_signature::sizes& s) {
    out_.steps[steps_].signature.size = s;
  }
  /// Appends a step, after next_sizes: kernel op reads the output of node `from`. Reports a kernel
  /// that does not exist.
  ///   node   the one that it computes
  ///   x, to  the values that it reads and writes
  constexpr void emit(kernel_id op, int node, int from, int x, int to, bool relu = false) {
    emit(op, node, element_type(g_.nodes[from].dtype), g_.nodes[from].observer, x, to,
         element_type(g_.nodes[node].dtype), g_.nodes[node].observer, relu);
  }
  constexpr void emit(kernel_id op, int node, int from, int x, int to, dtype gives, int observer,
                      bool relu = false) {
    emit(op, node, element_type(g_.nodes[from].dtype), g_.nodes[from].observer, x, to, gives,
         observer, relu);
  }
  /// The same for floats that are not the output of a node.
  constexpr void emit_floats(kernel_id op, int node, int x, int to, dtype gives, int observer,
                             bool relu = false) {
    emit(op, node, f32, -1, x, to, gives, observer, relu);
  }
  ///   in_observer  the observer of what it reads
  constexpr void emit(kernel_id op, int node, dtype takes, int in_observer, int x, int to,
                      dtype gives, int observer, bool relu) {
    if (!kernels::exists(op, takes, gives)) return complain(op, node, takes, gives);
    // The output counts as read: a step of a cat keeps what the previous one wrote.
    values_[x].read = values_[to].read = steps_;
    in_[steps_] = x;
    second_in_[steps_] = -1;
    written_[steps_] = to;
    out_.steps[steps_].signature.kernel = op;
    out_.steps[steps_].signature.in = takes;
    out_.steps[steps_].signature.out = gives;
    out_.steps[steps_].signature.relu = relu;
    out_.steps[steps_].node = node;
    if (in_observer >= 0) out_.steps[steps_].in_observer[0] = in_observer;
    out_.steps[steps_].out_observer = observer;
    ++steps_;
  }
  /// Makes the last step read another value, too.
  constexpr void also_reads(int from, int y) {
    values_[y].read = steps_ - 1;
    second_in_[steps_ - 1] = y;
    out_.steps[steps_ - 1].in_observer[1] = g_.nodes[from].observer;
  }

  /// Passes the value of node i to an observer after the last step.
  constexpr void observe_value(int i, int observer) {
    observed_[observations_] = value_of_[i];
    if (values_[value_of_[i]].read < steps_) values_[value_of_[i]].read = steps_;
    out_.observations[observations_].after_step = steps_ - 1;
    out_.observations[observations_].observer = observer;
    out_.observations[observations_].node = i;
    ++observations_;
  }

  /// The value of node i in the given order, transposed if necessary.
  constexpr int in_order(int i, layout wanted) {
    if (order_of_[i] == wanted || !order_matters(g_.nodes[i].shape)) return value_of_[i];
    const int from = value_of_[i];
    const shape& s = g_.nodes[i].shape;
    int pixels = 1;
    for (int axis = 2; axis < s.rank; ++axis) pixels *= s.extent[axis];
    next_sizes(transpose_shape{s.extent[0], s.extent[1], pixels});
    emit(wanted == layout::nhwc ? kernel::to_nhwc : kernel::to_nchw, i, i, from,
         new_output(i, wanted));
    return value_of_[i];
  }

  const Graph& g_;
  Schedule& out_;
  scratch_array<int, max_nodes> value_of_{};
  scratch_array<layout, max_nodes> order_of_{};
  scratch_array<buffer, max_values> values_{};
  scratch_array<place::area, max_values> area_{};
  scratch_array<int, max_steps> in_{};  // by step: values
  scratch_array<int, max_steps> second_in_{};
  scratch_array<int, max_steps> written_{};
  scratch_array<int, max_nodes> observed_{};  // by observation: the value
  int count_ = 0;                             // of values
  int steps_ = 0;
  int observations_ = 0;

 private:
  constexpr void complain(kernel_id op, int node, dtype takes, dtype gives) {
    static_text<80> name;
    append_name(name, g_.nodes[node]);
    out_.problem.line("no kernel for node ", name.view(), ":");
    out_.problem.line();
    kernels::append_signature(out_.problem.text, op, takes, gives);
    out_.problem.line("there are: ");
    kernels::append_types(out_.problem.text, op);
  }
};

}  // namespace ctq::scheduling
