// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/relu.hpp"

namespace ctq::kernels::reference {

/// The product of two integers, in float.
template <quantized Q>
[[nodiscard, gnu::always_inline]] inline float binary_mul(Q a, const qparams& a_q, Q b,
                                                          const qparams& b_q) noexcept {
  return dequantize(a, a_q) * dequantize(b, b_q);
}

/// Elementwise product on integers: quantize(dequantize(a[i]) * dequantize(b[i])), with max(…, 0)
/// before quantize if relu. out may be a or b.
///
/// Source    PyTorch aten/src/ATen/native/quantized/cpu/qmul.cpp
template <quantized Q>
inline void binary_mul(elementwise_shape shape, const Q* a, const qparams& a_q, const Q* b,
                       const qparams& b_q, const qparams& out_q, Q* out, bool relu) noexcept {
  const quantizer to = quantizer_of(out_q);
  for (int i = 0; i < shape.count; ++i) {
    const float product = binary_mul(a[i], a_q, b[i], b_q);
    out[i] = quantize<Q>(relu ? reference::relu(product) : product, to);
  }
}

inline void binary_mul(elementwise_shape shape, const float* a, const float* b, float* out,
                       bool relu) noexcept {
  for (int i = 0; i < shape.count; ++i) {
    const float product = a[i] * b[i];
    out[i] = relu ? reference::relu(product) : product;
  }
}

}  // namespace ctq::kernels::reference
