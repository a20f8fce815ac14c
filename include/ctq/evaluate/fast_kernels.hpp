// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>
#include <vector>

#include "ctq/evaluate/fast_floats.hpp"
#include "ctq/evaluate/fast_integers.hpp"
#include "ctq/evaluate/op_kernels.hpp"
#include "ctq/runtime/simd_kernels.hpp"

// The vectorized kernels for graphs of run time:
//
//   interpreter<fast_kernels>                   a graph with shapes, scheduled as compiled ones are
//   evaluator<stage::prepared, fast_kernels>    any graph, op by op: calibration, comparison

namespace ctq {

/// Those of the instruction set that the translation unit is compiled for.
using fast_kernels = simd_kernels<isa::native>;

template <class Isa>
class op_kernels<simd_kernels<Isa>> {
 public:
  [[nodiscard]] const float_ops::kernel_set& floats() const { return floats_; }

  [[nodiscard]] quantized_tensor quantize(const float_ops::tensor& x, quantization steps) const {
    return integers_.quantize(x, std::move(steps));
  }
  [[nodiscard]] float_ops::tensor dequantize(const quantized_tensor& x) const {
    return integers_.dequantize(x);
  }
  [[nodiscard]] quantized_tensor linear(const quantized_tensor& in, const node_value& weight,
                                        const std::vector<float>* bias, const quantization& out,
                                        bool relu) const {
    return integers_.linear(in, weight, bias, out, relu);
  }
  [[nodiscard]] quantized_tensor convolution(const quantized_tensor& in, const node_value& weight,
                                             const std::vector<float>* bias, const window_steps& w,
                                             const quantization& out, bool relu) const {
    return integers_.convolution(in, weight, bias, w, out, relu);
  }

 private:
  fast_floats<Isa> floats_;
  fast_integers<Isa> integers_;
};

}  // namespace ctq
