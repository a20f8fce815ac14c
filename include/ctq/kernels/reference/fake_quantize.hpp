// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/quantize.hpp"

namespace ctq::kernels::reference {

/// Quantizes and dequantizes one value; 0 for NaN.
[[nodiscard, gnu::always_inline]] inline float fake_quantize(float x, const quantizer& to,
                                                             float scale) noexcept {
  return round_and_clamp(x, to) * scale;
}

/// Quantizes and dequantizes:
///
///   out[i] = clamp(rne(in[i] * (1 / scale)), quant_min - zp, quant_max - zp) * scale
///
/// The integers may have any width that a float represents exactly. out may be in.
/// Rounding  to nearest, ties to even; NaN gives 0, ±inf the bounds
/// Source    PyTorch fake_quantize_per_tensor_affine
inline void fake_quantize(elementwise_shape shape, const float* in, const qparams& p,
                          float* out) noexcept {
  const quantizer to = quantizer_of(p);
  for (int i = 0; i < shape.count; ++i) out[i] = fake_quantize(in[i], to, p.scale);
}

}  // namespace ctq::kernels::reference
