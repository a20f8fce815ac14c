// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/elementwise_ops.hpp"
#include "ctq/core/ops.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/op_memo.hpp"
#include "ctq/passes/schedule/kernel_shapes.hpp"
#include "ctq/passes/schedule/node_task.hpp"
#include "ctq/passes/schedule/own_op.hpp"
#include "ctq/passes/schedule/step_writer.hpp"

// From a graph of any stage to the steps that compute it: which kernel, where its operands lie.
//
// Graphs speak of N, C, H, W; in memory rank-4 activations lie in NHWC order, which is what the
// kernels read. A transpose is put in only where the order can be seen: at the door, and where a
// view (flatten) joins axes. Values live in one arena; the model's input and output stay in the
// caller's memory.

namespace ctq {

namespace scheduling {

template <class Graph, class Schedule>
class scheduler : public step_writer<Graph, Schedule> {
 public:
  constexpr scheduler(const Graph& g, Schedule& out, layers l) : base(g, out) {
    for (int i = 0; i < g.count && out.problem.text.count == 0; ++i) visit(i);
    this->finish(l);
  }

 private:
  using base = step_writer<Graph, Schedule>;
  using base::area_;
  using base::arg;
  using base::elements_of;
  using base::emit;
  using base::g_;
  using base::in_order;
  using base::new_output;
  using base::next_sizes;
  using base::observations_;
  using base::observed_;
  using base::order_of_;
  using base::out_;
  using base::same_as;
  using base::steps_;
  using base::value_of_;
  using base::values_;
  using base::written_;

  constexpr void visit(int i) {
    switch (tasks_(g_.nodes[i].op, task_of)) {
      case task::placeholder: return placeholder(i);
      case task::output: return output(arg(i));
      case task::observe: return observe(i, arg(i));
      case task::same: return same_as(i, arg(i));
      case task::quantize: return elementwise(i, kernel::quantize);
      case task::dequantize: return elementwise(i, kernel::dequantize);
      case task::requantize: return elementwise(i, kernel::requantize);
      case task::relu: return elementwise(i, kernel::relu);
      case task::conv2d: return conv2d(i, false);
      case task::conv_relu2d: return conv2d(i, true);
      case task::linear: return linear(i, kernel::linear, false);
      case task::linear_relu: return linear(i, kernel::linear, true);
      case task::linear_dynamic: return linear(i, kernel::linear_dynamic, false);
      case task::linear_relu_dynamic: return linear(i, kernel::linear_dynamic, true);
      case task::batch_norm2d: return batch_norm2d(i, false);
      case task::bn_relu2d: return batch_norm2d(i, true);
      case task::add: return of_two(i, kernel::add);
      case task::add_relu: return of_two(i, kernel::add_relu);
      case task::mul: return of_two(i, kernel::mul);
      case task::mul_relu: return of_two(i, kernel::mul, true);
      case task::max_pool2d: return max_pool2d(i);
      case task::avg_pool2d: return avg_pool2d(i);
      case task::adaptive_avg_pool2d: return adaptive_avg_pool2d(i);
      case task::flatten: return flatten(i);
      case task::cat: return cat(i);
      case task::own: return own(i);
      case task::elementwise: return by_definition(i, elementwise_tensors(g_.nodes[i].op), true);
      case task::unknown:
        out_.problem.line("no kernel for node ", g_.nodes[i].name, ":").line(g_.nodes[i].op->name);
    }
  }

  constexpr void placeholder(int i) {
    if (out_.input_shape.rank != 0) {
      out_.problem.line("node ", g_.nodes[i].name, ":").line("a model has one placeholder");
      return;
    }
    out_.input_shape = g_.nodes[i].shape;
    value_of_[i] = this->new_value(0, place::area::input);
    order_of_[i] = layout::nchw;
  }

  /// The last value moves to the caller's memory if a step of its own writes it, else is copied.
  constexpr void output(int from) {
    const int last = in_order(from, layout::nchw);
    if (area_[last] == place::area::arena && steps_ > 0 && written_[steps_ - 1] == last) {
      area_[last] = place::area::output;
      values_[last].bytes = 0;
    } else {
      const int width = elements_of(from);
      next_sizes(concat_shape{1, width, width, 0});
      emit(kernel::concat, from, from, last, this->new_value(0, place::area::output));
    }
    out_.output_shape = g_.nodes[from].shape;
    out_.output_dtype = g_.nodes[from].dtype;
    out_.output_observer = g_.nodes[from].observer;
  }

  constexpr void observe(int i, int from) {
    same_as(i, from);
    observed_[observations_] = value_of_[i];
    if (values_[value_of_[i]].read < steps_) values_[value_of_[i]].read = steps_;
    out_.observations[observations_].after_step = steps_ - 1;
    out_.observations[observations_].observer = g_.nodes[i].observer;
    out_.observations[observations_].node = i;
    ++observations_;
  }

  constexpr void elementwise(int i, kernel op) {
    const int from = arg(i);
    next_sizes(elementwise_shape{elements_of(i)});
    emit(op, i, from, value_of_[from], new_output(i, order_of_[from]));
  }

  template <class Options>
  [[nodiscard]] constexpr Options options_of(int i) const {
    return g_.nodes[i].attrs.template as<Options>();
  }
  [[nodiscard]] constexpr const shape& in_shape(int i) const { return g_.nodes[arg(i)].shape; }

  /// An op over windows or channels: reads and writes NHWC.
  template <class Shape>
  constexpr void spatial(int i, kernel op, Shape s, bool relu = false) {
    const int from = arg(i);
    const int x = in_order(from, layout::nhwc);
    next_sizes(s);
    emit(op, i, from, x, new_output(i, layout::nhwc), relu);
  }

  constexpr void conv2d(int i, bool relu) {
    spatial(i, kernel::conv2d, kernel_shapes::conv2d(options_of<conv2d_options>(i), in_shape(i)),
            relu);
  }

  constexpr void linear(int i, kernel op, bool relu) {
    const auto o = options_of<linear_options>(i);
    const int from = arg(i);
    const int x = in_order(from, layout::nchw);
    next_sizes(linear_shape{elements_of(i) / o.out_features, o.in_features, o.out_features});
    emit(op, i, from, x, new_output(i, layout::nchw), relu);
  }

  constexpr void batch_norm2d(int i, bool relu) {
    const shape& x = in_shape(i);
    spatial(i, kernel::batch_norm2d, channels_shape{x[0] * x[2] * x[3], x[1]}, relu);
  }

  /// A sum or a product, in the order of its first argument.
  constexpr void of_two(int i, kernel op, bool relu = false) {
    const int a = arg(i, 0);
    const int b = arg(i, 1);
    if (g_.nodes[a].dtype != g_.nodes[b].dtype) {
      out_.problem.line("no kernel for node ", g_.nodes[i].name, ":");
      out_.problem.line(name_of(op), " of ", name_of(g_.nodes[a].dtype), " and ",
                        name_of(g_.nodes[b].dtype));
      return;
    }
    const int x = value_of_[a];
    const layout order = order_of_[a];
    const int y = in_order(b, order);
    next_sizes(elementwise_shape{elements_of(i)});
    emit(op, i, a, x, new_output(i, order), relu);
    if (out_.problem.text.count == 0) this->also_reads(b, y);
  }

  constexpr void max_pool2d(int i) {
    const auto o = options_of<max_pool2d_options>(i);
    spatial(i, kernel::max_pool2d, kernel_shapes::max_pool2d(o, in_shape(i), g_.nodes[i].shape));
  }

  constexpr void avg_pool2d(int i) {
    const auto o = options_of<avg_pool2d_options>(i);
    spatial(i, kernel::avg_pool2d, kernel_shapes::avg_pool2d(o, in_shape(i), g_.nodes[i].shape));
  }

  constexpr void adaptive_avg_pool2d(int i) {
    spatial(i, kernel::avg_pool2d,
            kernel_shapes::adaptive_avg_pool2d(in_shape(i), g_.nodes[i].shape));
  }

  /// A view: no step, but its order can be seen, so the input is brought into N, C, H, W first.
  constexpr void flatten(int i) {
    value_of_[i] = in_order(arg(i), layout::nchw);
    order_of_[i] = layout::nchw;
  }

  constexpr void cat(int i) {
    const int dim = options_of<cat_options>(i).dim;
    const layout order = order_matters(in_shape(i)) ? order_of_[arg(i)] : layout::nchw;
    const int target = new_output(i, order);
    int before = 0;
    for (int a = 0; a < g_.nodes[i].arg_count && !out_.problem.any(); ++a) {
      const int from = arg(i, a);
      const int x = in_order(from, order);
      const int extent = g_.nodes[from].shape.extent[dim];
      next_sizes(kernel_shapes::concat(g_.nodes[i].shape, order, dim, extent, before));
      emit(kernel::concat, i, from, x, target);
      before += extent;
    }
  }

  /// An op of the user's own: its elements in whatever order, or whole tensors in N, C, H, W.
  constexpr void own(int i) {
    check_own_op(g_, i, out_.problem);
    if (out_.problem.any()) return;
    by_definition(i, g_.nodes[i].op->hooks->tensors, g_.nodes[i].op->hooks->elementwise);
  }

  /// An op that its kernel calls: element by element in whatever order, or on whole tensors.
  constexpr void by_definition(int i, int tensors, bool elementwise) {
    const int a = arg(i, 0);
    const int b = tensors == 2 ? arg(i, 1) : -1;
    const layout order = elementwise ? order_of_[a] : layout::nchw;
    const int x = in_order(a, order);
    const int y = b >= 0 ? in_order(b, order) : -1;
    if (elementwise) {
      next_sizes(elementwise_shape{elements_of(i)});
    } else {
      next_sizes(function_shape{{g_.nodes[a].shape, b >= 0 ? g_.nodes[b].shape : shape{}},
                                g_.nodes[i].shape});
    }
    emit(elementwise ? kernel::elementwise : kernel::function, i, a, x, new_output(i, order));
    if (out_.problem.any()) return;
    out_.steps[steps_ - 1].key.own = g_.nodes[i].op;
    if (b >= 0) this->also_reads(b, y);
  }

  op_memo<task> tasks_{};
};

/// Writes the steps of a graph, or what stands in their way.
template <class Graph, class Schedule>
constexpr void schedule_into(const Graph& g, Schedule& out, layers l = layers::alone) {
  scheduler<Graph, Schedule>{g, out, l};
}

}  // namespace scheduling

template <stage Stage>
[[nodiscard]] constexpr dynamic_schedule schedule(
    graph_view<Stage> g, scheduling::layers l = scheduling::layers::alone) {
  dynamic_schedule out;
  scheduling::schedule_into(g, out, l);
  return out;
}

}  // namespace ctq
