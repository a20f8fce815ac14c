// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/passes/schedule/parameter_steps.hpp"

// Steps of layers; also of layers that are followed by an op, or to which a tensor is added, in
// float, before their output is quantized.

namespace ctq::scheduling {

template <class Graph, class Schedule>
class layer_steps : public parameter_steps<Graph, Schedule> {
 public:
  using base = parameter_steps<Graph, Schedule>;
  using base::base;

 protected:
  using base::arg;
  using base::elements_of;
  using base::g_;
  using base::in_order;
  using base::new_output;
  using base::next_sizes;
  using base::out_;
  using base::steps_;

  /// The kernel of a layer, whose sizes it sets in the signature of the next step.
  constexpr kernel_id sized_kernel(int i, int a) {
    const op_schedule& s = g_.nodes[i].op->descriptor->schedule;
    next_sizes(s.sizes(g_.nodes[i].attrs, g_.nodes[a].shape, g_.nodes[i].shape));
    return s.kernel == kernel::linear_dynamic ? sized_dynamic_kernel(i) : s.kernel;
  }

  /// A layer whose accumulators become floats, for an op that follows or a tensor that is added.
  constexpr void layer_in_float(int i) {
    const node& n = g_.nodes[i];
    const op_schedule& s = n.op->descriptor->schedule;
    if (n.arg_count > s.tensors && !this->has_parameters(i)) return;
    const int a = arg(i);
    const int other = s.tensors == 2 ? arg(i, 1) : -1;
    if (other >= 0 && !is_addable(i, other)) return;
    const layout order = s.layout == kernel_layout::nhwc ? layout::nhwc : layout::nchw;
    const int x = in_order(a, order);
    const int y = other >= 0 ? in_order(other, order) : -1;
    const int sums = this->new_value(static_cast<std::size_t>(elements_of(i)) * sizeof(float));
    this->emit(sized_kernel(i, a), i, a, x, sums, f32, -1);
    if (out_.problem.any()) return;
    if (other < 0) return followed(i, sums, order);
    next_sizes(elementwise_shape{elements_of(i)});
    this->emit_floats(n.dtype == f32 ? kernel::binary_add : kernel::quantize_sum, i, sums,
                      new_output(i, order), n.dtype, n.observer, s.relu);
    if (!out_.problem.any()) this->also_reads(other, y);
  }

 private:
  /// The kernel of a linear layer whose input is quantized dynamically. Sets the dtype of its
  /// integers and the size of groups in the signature. Weights of float16 are floats, so they need
  /// the kernel of floats; those that are quantized per group have 4 bits.
  constexpr kernel_id sized_dynamic_kernel(int i) {
    const node& n = g_.nodes[i];
    const int group_size = n.weight == nullptr ? 0 : n.weight->args.group_size;
    auto sizes = out_.steps[steps_].signature.template as<linear_shape>();
    const bool to_signed = n.observer_config != nullptr && n.observer_config->args.dtype == qint8;
    sizes.signed_input = to_signed ? 1 : 0;
    sizes.group_size = group_size;
    next_sizes(sizes);
    if (group_size > 0) return kernel::linear_dynamic_int4;
    return n.weight != nullptr && n.weight->args.dtype == f16 ? kernel::linear
                                                              : kernel::linear_dynamic;
  }

  /// Appends the op that follows, on floats, and a quantize.
  constexpr void followed(int i, int sums, layout order) {
    const node& n = g_.nodes[i];
    const op_schedule& s = n.op->descriptor->schedule;
    const elementwise_shape elements{elements_of(i)};
    const int y = n.dtype == f32 ? new_output(i, order) : sums;
    next_sizes(elements);
    this->emit_floats(s.then_by, i, sums, y, f32, n.dtype == f32 ? n.observer : -1);
    if (out_.problem.any()) return;
    if (s.then_by == kernel::elementwise) out_.steps[steps_ - 1].signature.called_op = s.then;
    if (n.dtype == f32) return;
    next_sizes(elements);
    this->emit_floats(kernel::quantize, i, sums, new_output(i, order), n.dtype, n.observer);
  }

  constexpr bool is_addable(int i, int other) {
    const node& n = g_.nodes[i];
    if (g_.nodes[other].shape == n.shape)
      return this->same_dtypes(i, i, other, kernel::quantize_sum);
    out_.problem.line("no kernel for node ", n.name, ":");
    out_.problem.line("adds a tensor of another shape");
    return false;
  }
};

}  // namespace ctq::scheduling
