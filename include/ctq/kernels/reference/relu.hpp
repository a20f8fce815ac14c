// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/quantize.hpp"

namespace ctq::kernels::reference {

/// max(x, 0); NaN and -0 are preserved, as in PyTorch.
[[nodiscard, gnu::always_inline]] inline float relu(float x) noexcept {
  return x < 0.0F ? 0.0F : x;
}

inline void relu(elementwise_shape shape, const float* in, float* out) noexcept {
  for (int i = 0; i < shape.count; ++i) out[i] = relu(in[i]);
}

/// On integers: quantize(max(dequantize(in[i]), 0)).
template <quantized Q>
inline void relu(elementwise_shape shape, const Q* in, const qparams& from, const qparams& to,
                 Q* out) noexcept {
  const quantizer q = quantizer_of(to);
  for (int i = 0; i < shape.count; ++i) out[i] = quantize<Q>(relu(dequantize(in[i], from)), q);
}

}  // namespace ctq::kernels::reference
