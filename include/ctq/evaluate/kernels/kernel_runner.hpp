// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/evaluate/kernels/kernel_functions.hpp"
#include "ctq/evaluate/kernels/layer_shape.hpp"
#include "ctq/evaluate/kernels/packed_layer.hpp"
#include "ctq/evaluate/kernels/packed_weights.hpp"

// Runs kernels on the elements of tensors, in the order that kernels read.

namespace ctq {

/// Owns the memory that kernels need besides tensors; for kernel_calls alone.
class kernel_runner {
 protected:
  explicit kernel_runner(const kernel_functions& kernels) : kernels_(kernels) {}

  /// Requires  an evaluator calls the kernel
  void run(const kernel_signature& signature, operands x) {
    x.workspace = workspace_.of(kernels_.workspace_bytes(signature));
    kernels_.function_of(signature)(signature, x);
  }

  ///   shape  of the input
  template <class Layer, class T, class Out>
  void run_layer(const Layer& s, const T* in, const float_ops::extents& shape, Out* out,
                 const packed_layer& p, const step_data& data) {
    const T* const from[] = {in};
    in_order<T>(s.order, from, shape, out, s.out, [&](operands x) {
      x.packed = p.bytes.data();
      x.data = &data;
      this->run(layer_signature(s.conv, dtype_of<T>, dtype_of<Out>), x);
    });
  }

  /// Calls compute(operands) with inputs and output in the order of the kernel; those of `in` and
  /// `out` are in the order of their axes.
  template <class T, class Out, class Run>
  void in_order(kernel_layout order, span<const T* const> in, const float_ops::extents& in_shape,
                Out* out, const float_ops::extents& out_shape, Run compute) {
    const bool moves = order == kernel_layout::nhwc;
    operands x{.out = out};
    if (moves) x.out = moved_out_.of<Out>(float_ops::numel(out_shape));
    for (std::size_t i = 0; i < in.size(); ++i) {
      x.in[i] = in[i];
      if (!moves) continue;
      T* const to = moved_in_[i].of<T>(float_ops::numel(in_shape));
      move(kernel::to_nhwc, in[i], in_shape, to);
      x.in[i] = to;
    }
    compute(x);
    if (moves) move(kernel::to_nchw, static_cast<const Out*>(x.out), out_shape, out);
  }

  template <class T>
  void move(kernel_id order, const T* in, const float_ops::extents& shape, T* out) {
    const auto images = static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]);
    const transpose_shape s{shape[0], shape[1], static_cast<int>(float_ops::numel(shape) / images)};
    run(signature_of(order, dtype_of<T>, dtype_of<T>, s), {.in = {in}, .out = out});
  }

  kernel_functions kernels_;
  scratch_memory moved_in_[2], moved_out_, workspace_;
};

}  // namespace ctq
