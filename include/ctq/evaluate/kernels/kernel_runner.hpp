// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/evaluate/kernels/kernel_functions.hpp"
#include "ctq/evaluate/kernels/layer_shape.hpp"
#include "ctq/evaluate/kernels/packed_layer.hpp"
#include "ctq/evaluate/kernels/packed_weights.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"

// Runs kernels on the elements of tensors, in the order and in the type that kernels read.

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

  /// Returns where the outputs are.
  template <class Out, class Layer, class T>
  const Out* run_layer(const Layer& s, const T* in, const float_ops::extents& shape,
                       const packed_layer& p, const step_data& data) {
    const T* const from[] = {in};
    return in_order<T, Out>(s.order, from, shape, s.out, [&](operands x) {
      x.packed = p.bytes.data();
      x.data = &data;
      this->run(layer_signature(s.conv, dtype_of<T>, dtype_of<Out>), x);
    });
  }

  /// Calls compute(operands) with inputs and output in the order of the kernel; `in` and the
  /// returned elements are in the order of their axes.
  template <class T, class Out = T, class Run>
  const Out* in_order(kernel_layout order, std::span<const T* const> in,
                      const float_ops::extents& in_shape, const float_ops::extents& out_shape,
                      Run compute) {
    const bool moves = order == kernel_layout::nhwc;
    operands x;
    for (std::size_t i = 0; i < in.size(); ++i)
      x.in[i] = moves ? moved(kernel::to_nhwc, in[i], in_shape, moved_in_[i]) : in[i];
    Out* const out = out_.of<Out>(float_ops::numel(out_shape));
    x.out = out;
    compute(x);
    return moves ? moved(kernel::to_nchw, out, out_shape, moved_out_) : out;
  }

  template <class T>
  const T* moved(kernel_id to, const T* in, const float_ops::extents& shape,
                 scratch_memory& memory) {
    const std::size_t count = float_ops::numel(shape);
    T* const out = memory.of<T>(count);
    const auto images = static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]);
    const transpose_shape s{shape[0], shape[1], static_cast<int>(count / images)};
    run(signature_of(to, dtype_of<T>, dtype_of<T>, s), {.in = {in}, .out = out});
    return out;
  }

  /// The integers of a tensor as a kernel reads them.
  template <class Q>
  static const Q* narrowed(const quantized_tensor& x, scratch_memory& memory) {
    Q* const to = memory.of<Q>(x.q.data.size());
    std::transform(x.q.data.begin(), x.q.data.end(), to,
                   [](std::int32_t q) { return static_cast<Q>(q); });
    return to;
  }

  kernel_functions kernels_;
  scratch_memory in_[2], moved_in_[2], out_, moved_out_, workspace_;
};

}  // namespace ctq
