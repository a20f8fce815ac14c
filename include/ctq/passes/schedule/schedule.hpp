// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/function_shape.hpp"
#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/passes/schedule/check_functions.hpp"
#include "ctq/passes/schedule/layer_steps.hpp"

// From a graph of any stage to the steps that compute it: kernels and the places of their operands.
//
// Graphs have axes N, C, H, W; in memory rank-4 activations are in NHWC order, which is what the
// kernels read. Transposes are inserted only where the order is visible: at inputs and outputs, and
// where a view (flatten) merges axes. Values are in one arena; the model's inputs and outputs stay
// in the caller's memory.

namespace ctq {

namespace scheduling {

template <class Graph, class Schedule>
class scheduler : public layer_steps<Graph, Schedule> {
 public:
  constexpr scheduler(const Graph& g, Schedule& out, layers l) : base(g, out) {
    for (int i = 0; i < g.count && out.problem.text.count == 0; ++i) visit(i);
    this->finish(l);
  }

 private:
  using base = layer_steps<Graph, Schedule>;
  using base::area_;
  using base::arg;
  using base::elements_of;
  using base::emit;
  using base::g_;
  using base::in_order;
  using base::new_output;
  using base::next_sizes;
  using base::order_of_;
  using base::out_;
  using base::same_as;
  using base::steps_;
  using base::value_of_;
  using base::values_;
  using base::written_;

  constexpr void visit(int i) {
    const schedule_as how = schedule_of(i).how;
    if (how == schedule_as::view || how == schedule_as::strided) {
      has_views_ = true;
    } else if (has_views_ && how != schedule_as::copied && how != schedule_as::matmul &&
               how != schedule_as::attention) {
      for (int a = 0; a < g_.nodes[i].arg_count; ++a) this->materialize_input(i, arg(i, a));
    }
    switch (how) {
      case schedule_as::input: return placeholder(i);
      case schedule_as::constant: return this->constant(i);
      case schedule_as::output: return outputs(i);
      case schedule_as::observe: return observe(i, arg(i));
      case schedule_as::same: return same_as(i, arg(i));
      case schedule_as::view: return this->as_view(i);
      case schedule_as::strided:
        return this->selects_extreme(i) ? this->reduction(i, arg(i)) : this->as_strided(i);
      case schedule_as::copied: return this->as_copied(i);
      case schedule_as::step: return step_of(i);
      case schedule_as::layer: return this->layer_in_float(i);
      case schedule_as::lookup: return this->lookup(i);
      case schedule_as::recurrent: return recurrent(i);
      case schedule_as::matmul: return this->matmul(i);
      case schedule_as::attention: return this->attention(i);
      case schedule_as::reduction: return this->reduction(i, i);
      case schedule_as::concat: return concat(i);
      case schedule_as::function: return function(i);
      case schedule_as::nothing:
        if (this->is_parameter(i)) return;
        out_.problem.line("no kernel for node ", g_.nodes[i].name, ":").line(g_.nodes[i].op->name);
        if (g_.nodes[i].op->builtin) out_.problem.line("ctq::evaluator runs it");
    }
  }

  [[nodiscard]] constexpr const op_schedule& schedule_of(int i) const {
    return g_.nodes[i].op->descriptor->schedule;
  }
  [[nodiscard]] constexpr const op_functions& functions_of(int i) const {
    return g_.nodes[i].op->descriptor->functions;
  }

  constexpr void placeholder(int i) {
    value_of_[i] = this->new_value(0, place::area::input);
    values_[value_of_[i]].offset = static_cast<std::size_t>(out_.input_count);
    order_of_[i] = layout::nchw;
    if (is_index(g_.nodes[i].dtype)) this->set_indices(i, value_of_[i]);
    out_.add_input({g_.nodes[i].shape, g_.nodes[i].dtype, g_.nodes[i].observer});
  }

  constexpr void outputs(int i) {
    for (int a = 0; a < g_.nodes[i].arg_count && !out_.problem.any(); ++a) output(arg(i, a));
  }

  /// A value that the model returns is written to the caller's memory by its steps, and read there
  /// by others; an input, a value that is already returned, or one of a tuple is copied there.
  constexpr void output(int from) {
    const int number = out_.output_count;
    int written =
        is_index(g_.nodes[from].dtype) ? this->as_indices(from) : in_order(from, layout::nchw);
    const int width = elements_of(from);
    const auto bytes = static_cast<std::size_t>(width) * size_of(g_.nodes[from].dtype);
    if (area_[written] != place::area::arena || values_[written].bytes > bytes) {
      const int copy = this->new_value(0, place::area::output);
      const auto elements = static_cast<int>(bytes / size_of(element_type(g_.nodes[from].dtype)));
      next_sizes(concat_shape{1, elements, elements, 0});  // integers as two floats each
      emit(kernel::concat, from, from, written, copy);
      written = copy;
    }
    area_[written] = place::area::output;
    values_[written].bytes = 0;
    values_[written].offset = static_cast<std::size_t>(number);
    out_.add_output({g_.nodes[from].shape, g_.nodes[from].dtype, g_.nodes[from].observer});
  }

  constexpr void observe(int i, int from) {
    if (this->is_parameter(i)) return;
    same_as(i, from);
    this->observe_value(i, g_.nodes[i].observer);
  }

  /// The order in which a kernel reads the output of node `from` and writes its own.
  [[nodiscard]] constexpr layout order_for(kernel_layout wanted, int from) const {
    return wanted == kernel_layout::any    ? order_of_[from]
           : wanted == kernel_layout::nhwc ? layout::nhwc
                                           : layout::nchw;
  }

  constexpr void step_of(int i) {
    const op_schedule& s = schedule_of(i);
    const int a = arg(i);
    if (g_.nodes[i].arg_count > s.tensors && !this->has_parameters(i)) return;
    if (this->has_constants_ && this->is_parameter(i)) return;  // most models need no call
    if (s.with_number != nullptr && g_.nodes[i].arg_count == 1) return with_number(i, a);
    if (s.tensors == 2 && !this->same_dtypes(i, a, arg(i, 1), s.kernel)) return;
    if (s.broadcasts && (s.broadcast == s.kernel || !equal_shapes(a, arg(i, 1))))
      return broadcast(i, a, arg(i, 1));
    const layout order = order_for(s.layout, a);
    const int x = in_order(a, order);
    const int y = s.tensors == 2 ? in_order(arg(i, 1), order) : -1;
    emit(this->sized_kernel(i, a), i, a, x, new_output(i, order), s.relu);
    if (y >= 0 && out_.problem.text.count == 0) this->also_reads(arg(i, 1), y);
  }

  constexpr void recurrent(int i) {
    has_views_ = true;  // tensors of a tuple
    this->recurrent_step(i);
  }

  [[nodiscard]] constexpr bool equal_shapes(int a, int b) const {
    return g_.nodes[a].shape == g_.nodes[b].shape;
  }

  /// The order in which a and b are read together: that of the first whose order matters; the order
  /// of the axes, if a tensor with fewer axes has no other.
  ///   rank  of the output
  [[nodiscard]] constexpr layout order_of_both(int a, int b, int rank) const {
    const int of[2] = {a, b};
    for (const int i : of)
      if (g_.nodes[i].shape.rank < rank && order_matters(with_axes(g_.nodes[i].shape, rank)))
        return layout::nchw;
    for (const int i : of)
      if (g_.nodes[i].shape.rank == rank && order_matters(g_.nodes[i].shape)) return order_of_[i];
    return layout::nhwc;
  }
  /// An operand of a step whose output has `rank` axes; if it has fewer, it needs no transpose.
  [[nodiscard]] constexpr int broadcast_operand(int i, int rank, layout order) {
    return in_order(i, g_.nodes[i].shape.rank < rank ? layout::nchw : order);
  }

  /// A function of one tensor and a number; the number is the node's option.
  constexpr void with_number(int i, int a) {
    next_sizes(elementwise_shape{elements_of(i)});
    const layout order = order_of_[a];
    emit(kernel::elementwise, i, a, value_of_[a], new_output(i, order));
    if (!out_.problem.any())
      out_.steps[steps_ - 1].signature.called_op = schedule_of(i).with_number;
  }

  /// A kernel of two tensors that are broadcast against each other.
  constexpr void broadcast(int i, int a, int b) {
    const op_schedule& s = schedule_of(i);
    const int rank = g_.nodes[i].shape.rank;
    const layout order = order_of_both(a, b, rank);
    const int x = broadcast_operand(a, rank, order);
    const int y = broadcast_operand(b, rank, order);
    const broadcast_shape sizes =
        broadcast_sizes(g_.nodes[a].shape, g_.nodes[b].shape, g_.nodes[i].shape, order);
    if (sizes.extent[broadcast_shape::axes - 1] == 0 && !out_.problem.any()) {
      out_.problem.line("no kernel for node ", g_.nodes[i].name, ":");
      out_.problem.line("it broadcasts along more than ", broadcast_shape::axes, " axes");
      return;
    }
    next_sizes(sizes);
    emit(s.broadcast, i, a, x, new_output(i, order), s.relu);
    if (out_.problem.text.count == 0) this->also_reads(b, y);
  }

  constexpr void concat(int i) {
    const int dim = g_.nodes[i].attrs.template as<cat_options>().dim;
    const bool stacks = g_.nodes[i].shape.rank != g_.nodes[arg(i)].shape.rank;
    const layout order =
        !stacks && order_matters(g_.nodes[arg(i)].shape) ? order_of_[arg(i)] : layout::nchw;
    const int target = new_output(i, order);
    int before = 0;
    for (int a = 0; a < g_.nodes[i].arg_count && !out_.problem.any(); ++a) {
      const int from = arg(i, a);
      const int x = in_order(from, order);
      const int extent = stacks ? 1 : g_.nodes[from].shape.extent[dim];
      next_sizes(descriptors::cat_sizes(g_.nodes[i].shape, order, dim, extent, before));
      emit(kernel::concat, i, from, x, target);
      before += extent;
    }
  }

  /// A kernel that calls the op's functions: on elements in any order, or on tensors in N, C, H, W.
  constexpr void function(int i) {
    if (schedule_of(i).with_number != nullptr && g_.nodes[i].arg_count == 1)
      return with_number(i, arg(i));
    check_functions(g_, i, out_.problem);
    if (out_.problem.any()) return;
    const bool elementwise = functions_of(i).elementwise;
    const int a = arg(i, 0);
    const int b = functions_of(i).tensors >= 2 ? arg(i, 1) : -1;
    const layout order = elementwise ? order_of_[a] : layout::nchw;
    const int x = in_order(a, order);
    const int y = b < 0                          ? -1
                  : functions_of(i).tensors == 3 ? this->joined(i, b, arg(i, 2))
                                                 : in_order(b, order);
    if (elementwise) {
      next_sizes(elementwise_shape{elements_of(i)});
    } else {
      next_sizes(function_shape{{g_.nodes[a].shape, b >= 0 ? g_.nodes[b].shape : shape{}},
                                g_.nodes[i].shape,
                                parameter_blocks(i)});
    }
    const int to = schedule_of(i).sizes == nullptr ? new_output(i, order) : tuple_of_function(i, a);
    if (out_.problem.any()) return;
    emit(elementwise ? kernel::elementwise : kernel::function, i, a, x, to);
    if (out_.problem.any()) return;
    out_.steps[steps_ - 1].signature.called_op = g_.nodes[i].op;
    if (b >= 0) this->also_reads(b, y);
  }

  /// The tensors that a function returns, and its workspace.
  constexpr int tuple_of_function(int i, int a) {
    const node& n = g_.nodes[i];
    has_views_ = true;
    const auto elements =
        from_block<elementwise_shape>(schedule_of(i).sizes(n.attrs, g_.nodes[a].shape, n.shape));
    value_of_[i] = this->new_value(static_cast<std::size_t>(elements.count) * sizeof(float));
    order_of_[i] = layout::nchw;
    return value_of_[i];
  }

  /// Memory of the op's parameters, as its functions read them.
  [[nodiscard]] constexpr int parameter_blocks(int i) const {
    const op_descriptor& d = *g_.nodes[i].op->descriptor;
    if (d.parameters == nullptr) return 0;
    const parameter_layout_of layout =
        parameter_layout(d, g_.nodes[i].attrs, is_quantized(g_.nodes[i].dtype));
    return static_cast<int>(layout.bytes / packing::alignment);
  }

  bool has_views_ = false;  // some node so far is a view of another
};

/// Writes the steps of a graph, or the problem.
template <class Graph, class Schedule>
constexpr void schedule_into(const Graph& g, Schedule& out, layers l = layers::alone) {
  scheduler<Graph, Schedule>{g, out, l};
}

}  // namespace scheduling

/// The steps of a graph.
/// Errors  in the result: a node without a kernel, or that compiled code does not support
template <stage Stage>
[[nodiscard]] constexpr dynamic_schedule schedule(
    graph_view<Stage> g, scheduling::layers l = scheduling::layers::alone) {
  dynamic_schedule out;
  scheduling::schedule_into(g, out, l);
  return out;
}

}  // namespace ctq
