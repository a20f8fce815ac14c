// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/no_contract.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/relu.hpp"

namespace ctq::kernels::reference {

/// The sum of two dequantized values, each rounded before the addition.
template <quantized Q>
[[nodiscard, gnu::always_inline]] inline float binary_add(Q a, const qparams& a_q, Q b,
                                                          const qparams& b_q) noexcept {
  return no_contract(dequantize(a, a_q)) + no_contract(dequantize(b, b_q));
}

/// Residual addition on integers: quantize(dequantize(a[i]) + dequantize(b[i])), with max(…, 0)
/// before quantize if relu. out may be a or b.
///
/// Source    PyTorch quantized::add, quantized::add_relu (FBGEMM; QNNPACK's fixed point differs)
template <quantized Q>
inline void binary_add(elementwise_shape shape, const Q* a, const qparams& a_q, const Q* b,
                       const qparams& b_q, const qparams& out_q, Q* out, bool relu) noexcept {
  const quantizer to = quantizer_of(out_q);
  for (int i = 0; i < shape.count; ++i) {
    const float sum = binary_add(a[i], a_q, b[i], b_q);
    out[i] = quantize<Q>(relu ? reference::relu(sum) : sum, to);
  }
}

inline void binary_add(elementwise_shape shape, const float* a, const float* b, float* out,
                       bool relu) noexcept {
  for (int i = 0; i < shape.count; ++i) {
    const float sum = a[i] + b[i];
    out[i] = relu ? reference::relu(sum) : sum;
  }
}

/// quantize(a[i] + dequantize(b[i])), with max(…, 0) before quantize if relu: a sum of which one
/// operand was not rounded to integers. out may be b.
///
/// Rounding  the product of dequantize, the sum, quantize
/// Source    the reference module of PyTorch's nni.ConvAdd2d, nni.ConvAddReLU2d
template <quantized Q>
inline void quantize_sum(elementwise_shape shape, const float* a, const Q* b, const qparams& b_q,
                         const qparams& out_q, Q* out, bool relu) noexcept {
  const quantizer to = quantizer_of(out_q);
  for (int i = 0; i < shape.count; ++i) {
    float sum = a[i] + no_contract(dequantize(b[i], b_q));
    if (relu) sum = reference::relu(sum);
    out[i] = quantize<Q>(sum, to);
  }
}

}  // namespace ctq::kernels::reference
