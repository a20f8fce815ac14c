// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>
#include <vector>

#include "ctq/runtime/fast_floats.hpp"
#include "ctq/runtime/fast_integers.hpp"
#include "ctq/runtime/op_kernels.hpp"
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
  [[nodiscard]] const eager::kernel_set& floats() const { return floats_; }

  [[nodiscard]] quantized_tensor quantize(const eager::tensor& x, quantization steps) const {
    return integers_.quantize(x, std::move(steps));
  }
  [[nodiscard]] eager::tensor dequantize(const quantized_tensor& x) const {
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
