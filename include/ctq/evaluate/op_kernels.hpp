// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>
#include <vector>

#include "ctq/evaluate/float_ops/plain_kernels.hpp"
#include "ctq/evaluate/integer_arithmetic.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"

// What an evaluator leaves to a set of kernels, with shapes of run time. The sets are those of the
// interpreter; here the scalar one, in fast_kernels.hpp that of an instruction set. They give the
// same integers.

namespace ctq {

struct reference_kernels;

template <class Kernels>
class op_kernels;

template <>
class op_kernels<reference_kernels> {
 public:
  /// Where only real numbers are computed.
  [[nodiscard]] const float_ops::kernel_set& floats() const { return float_ops::plain; }

  [[nodiscard]] quantized_tensor quantize(const float_ops::tensor& x, quantization steps) const {
    return ctq::quantize(x, std::move(steps));
  }
  [[nodiscard]] float_ops::tensor dequantize(const quantized_tensor& x) const {
    return ctq::dequantize(x);
  }

  /// As integer_linear, integer_convolution. The weight is the same from call to call.
  [[nodiscard]] quantized_tensor linear(const quantized_tensor& in, const node_value& weight,
                                        const std::vector<float>* bias, const quantization& out,
                                        bool relu) const {
    return integer_linear(in, *weight.integers(), bias, out, relu);
  }
  [[nodiscard]] quantized_tensor convolution(const quantized_tensor& in, const node_value& weight,
                                             const std::vector<float>* bias, const window_steps& w,
                                             const quantization& out, bool relu) const {
    return integer_convolution(in, *weight.integers(), bias, w, out, relu);
  }
};

}  // namespace ctq
