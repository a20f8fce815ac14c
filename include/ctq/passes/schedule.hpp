// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/elementwise_ops.hpp"
#include "ctq/core/ops.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/passes/kernel_shapes.hpp"
#include "ctq/passes/own_op.hpp"
#include "ctq/passes/step_writer.hpp"

// From a graph of any stage to the steps that compute it: which kernel, where its operands lie.
//
// Graphs speak of N, C, H, W; in memory rank-4 activations lie in NHWC order, which is what the
// kernels read. A transpose is put in only where the order can be seen: at the door, and where a
// view (flatten) joins axes. Values live in one arena; the model's input and output stay in the
// caller's memory.

namespace ctq {

namespace scheduling {

template <stage Stage>
class scheduler : public step_writer<Stage> {
 public:
  constexpr explicit scheduler(graph_view<Stage> g) : base(g) {
    for (int i = 0; i < g.size() && !out_.problem.any(); ++i) visit(i);
  }

 private:
  using base = step_writer<Stage>;
  using base::arg;
  using base::emit;
  using base::form_of;
  using base::g_;
  using base::in_order;
  using base::new_value;
  using base::next_step;
  using base::observed_;
  using base::operands_;
  using base::out_;
  using base::unary;
  using base::values_;

  [[nodiscard]] constexpr elementwise_shape count_of(int i) const {
    return {static_cast<int>(numel(g_[i].shape))};
  }

  constexpr void visit(int i) {
    const op_id op = g_[i].op;
    if (op->kind == op_kind::placeholder) return placeholder(i);
    if (op->kind == op_kind::output) return output(i);
    if (is_any_of(op, q::activation_post_process)) return observe(i);
    if (is_any_of(op, q::quantize_per_tensor)) return elementwise(i, kernel::quantize);
    if (is_any_of(op, q::dequantize)) return elementwise(i, kernel::dequantize);
    if (is_any_of(op, q::requantize)) return elementwise(i, kernel::requantize);
    if (is_any_of(op, nn::relu, fn::relu, fn::torch_relu, method::relu))
      return elementwise(i, kernel::relu);
    if (is_any_of(op, nn::identity, method::contiguous, method::detach)) return same(i);
    if (is_any_of(op, nn::conv2d, q::conv2d)) return conv2d(i, false);
    if (is_any_of(op, nni::conv_relu2d, q::conv_relu2d)) return conv2d(i, true);
    if (is_any_of(op, nn::linear, q::linear)) return linear(i, false);
    if (is_any_of(op, nni::linear_relu, q::linear_relu)) return linear(i, true);
    if (is_any_of(op, nn::batch_norm2d)) return batch_norm2d(i, false);
    if (is_any_of(op, nni::bn_relu2d)) return batch_norm2d(i, true);
    if (is_any_of(op, op::add, fn::add, q::add)) return add(i, kernel::add);
    if (is_any_of(op, q::add_relu)) return add(i, kernel::add_relu);
    if (is_any_of(op, nn::max_pool2d, fn::max_pool2d)) return max_pool2d(i);
    if (is_any_of(op, nn::avg_pool2d, fn::avg_pool2d)) return avg_pool2d(i);
    if (is_any_of(op, nn::adaptive_avg_pool2d, fn::adaptive_avg_pool2d))
      return adaptive_avg_pool2d(i);
    if (is_any_of(op, nn::flatten, fn::flatten)) return flatten(i);
    if (is_any_of(op, fn::cat)) return cat(i);
    if (op->hooks != nullptr) return own(i);
    if (const int tensors = elementwise_tensors(op)) return by_definition(i, tensors, true);
    out_.problem.line("no kernel for node ", g_[i].name, ":").line(op->name);
  }

  constexpr void placeholder(int i) {
    if (out_.input_shape.rank != 0) {
      out_.problem.line("node ", g_[i].name, ":").line("a model has one placeholder");
      return;
    }
    out_.input_shape = g_[i].shape;
    form_of(i) = {new_value(0, place::area::input), layout::nchw};
  }

  /// The last value moves to the caller's memory if a step of its own writes it, else is copied.
  constexpr void output(int i) {
    const int from = arg(i);
    form f = in_order(from, layout::nchw);
    const node& n = g_[from];
    value& v = values_[f.value];
    const bool written_by_last = v.area == place::area::arena && next_step() > 0 &&
                                 operands_[next_step() - 1].out == f.value;
    if (written_by_last) {
      v.area = place::area::output;
    } else {
      const auto width = static_cast<int>(numel(n.shape));
      emit(signature(kernel::concat, n.dtype, n.dtype, concat_shape{1, width, width, 0}), from,
           {f.value, -1}, new_value(0, place::area::output), {n.observer, -1}, n.observer);
    }
    out_.output_shape = n.shape;
    out_.output_dtype = n.dtype;
    out_.output_observer = n.observer;
  }

  constexpr void observe(int i) {
    const form f = form_of(i) = form_of(arg(i));
    if (values_[f.value].read < next_step()) values_[f.value].read = next_step();
    out_.observations.push_back({next_step() - 1, g_[i].observer, i, {}});
    observed_.push_back(f.value);
  }

  constexpr void elementwise(int i, kernel op) {
    const form x = form_of(arg(i));
    unary(i, op, count_of(i), x, x.order);
  }

  /// An op over windows or channels: reads and writes NHWC.
  template <class Shape>
  constexpr void spatial(int i, kernel op, const Shape& s, bool relu = false) {
    unary(i, op, s, in_order(arg(i), layout::nhwc), layout::nhwc, relu);
  }

  template <class Options>
  [[nodiscard]] constexpr Options options_of(int i) const {
    return g_[i].attrs.template as<Options>();
  }
  [[nodiscard]] constexpr const shape& in_shape(int i) const { return g_[arg(i)].shape; }

  constexpr void conv2d(int i, bool relu) {
    spatial(i, kernel::conv2d, kernel_shapes::conv2d(options_of<conv2d_options>(i), in_shape(i)),
            relu);
  }

  constexpr void linear(int i, bool relu) {
    const auto o = options_of<linear_options>(i);
    const auto rows = static_cast<int>(numel(g_[i].shape)) / o.out_features;
    unary(i, kernel::linear, linear_shape{rows, o.in_features, o.out_features},
          in_order(arg(i), layout::nchw), layout::nchw, relu);
  }

  constexpr void batch_norm2d(int i, bool relu) {
    const shape& x = in_shape(i);
    spatial(i, kernel::batch_norm2d, channels_shape{x[0] * x[2] * x[3], x[1]}, relu);
  }

  constexpr void add(int i, kernel op) {
    const int a = arg(i, 0);
    const int b = arg(i, 1);
    const form x = form_of(a);
    const form y = in_order(b, x.order);
    const int out = new_value(numel(g_[i].shape) * size_of(g_[i].dtype));
    if (g_[a].dtype != g_[b].dtype) {
      out_.problem.line("no kernel for node ", g_[i].name, ":");
      out_.problem.line("add of ", name_of(g_[a].dtype), " and ", name_of(g_[b].dtype));
      return;
    }
    emit(signature(op, g_[a].dtype, g_[i].dtype, count_of(i)), i, {x.value, y.value}, out,
         {g_[a].observer, g_[b].observer}, g_[i].observer);
    form_of(i) = {out, x.order};
  }

  constexpr void max_pool2d(int i) {
    const auto o = options_of<max_pool2d_options>(i);
    spatial(i, kernel::max_pool2d, kernel_shapes::max_pool2d(o, in_shape(i), g_[i].shape));
  }

  constexpr void avg_pool2d(int i) {
    const auto o = options_of<avg_pool2d_options>(i);
    spatial(i, kernel::avg_pool2d, kernel_shapes::avg_pool2d(o, in_shape(i), g_[i].shape));
  }

  constexpr void adaptive_avg_pool2d(int i) {
    spatial(i, kernel::avg_pool2d, kernel_shapes::adaptive_avg_pool2d(in_shape(i), g_[i].shape));
  }

  /// Nothing is computed.
  constexpr void same(int i) { form_of(i) = form_of(arg(i)); }

  /// A view: no step, but its order can be seen, so the input is brought into N, C, H, W first.
  constexpr void flatten(int i) { form_of(i) = in_order(arg(i), layout::nchw); }

  constexpr void cat(int i) {
    const shape& out = g_[i].shape;
    const int dim = options_of<cat_options>(i).dim;
    const layout order = order_matters(in_shape(i)) ? form_of(arg(i)).order : layout::nchw;
    const int target = new_value(numel(out) * size_of(g_[i].dtype));
    int before = 0;
    for (int a = 0; a < g_[i].arg_count; ++a) {
      const int from = arg(i, a);
      const form x = in_order(from, order);
      const int extent = g_[from].shape[dim];
      emit(signature(kernel::concat, g_[from].dtype, g_[i].dtype,
                     kernel_shapes::concat(out, order, dim, extent, before)),
           i, {x.value, -1}, target, {g_[from].observer, -1}, g_[i].observer);
      before += extent;
    }
    form_of(i) = {target, order};
  }

  /// An op of the user's own: its elements in whatever order, or whole tensors in N, C, H, W.
  constexpr void own(int i) {
    check_own_op(g_, i, out_.problem);
    if (out_.problem.any()) return;
    by_definition(i, g_[i].op->hooks->tensors, g_[i].op->hooks->elementwise);
  }

  /// An op that its kernel calls: element by element in whatever order, or on whole tensors.
  constexpr void by_definition(int i, int tensors, bool elementwise) {
    const int a = arg(i, 0);
    const int b = tensors == 2 ? arg(i, 1) : -1;
    const form x = elementwise ? form_of(a) : in_order(a, layout::nchw);
    const int y = b >= 0 ? in_order(b, x.order).value : -1;
    const int out = new_value(numel(g_[i].shape) * size_of(g_[i].dtype));
    const dtype in = g_[a].dtype;
    const function_shape whole{{g_[a].shape, b >= 0 ? g_[b].shape : shape{}}, g_[i].shape};
    emit(elementwise ? signature(kernel::elementwise, in, g_[i].dtype, count_of(i), false, g_[i].op)
                     : signature(kernel::function, in, g_[i].dtype, whole, false, g_[i].op),
         i, {x.value, y}, out, {g_[a].observer, b >= 0 ? g_[b].observer : -1}, g_[i].observer);
    form_of(i) = {out, x.order};
  }
};

}  // namespace scheduling

template <stage Stage>
[[nodiscard]] constexpr dynamic_schedule schedule(graph_view<Stage> g) {
  return scheduling::scheduler<Stage>{g}.finish();
}

}  // namespace ctq
