// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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

/// The same with a scale and a zero point per channel: in, out [outer, channels, inner].
inline void fake_quantize_per_channel(const axis_shape& shape, const float* in, const float* scale,
                                      const std::int32_t* zero_point, std::int32_t quant_min,
                                      std::int32_t quant_max, float* out) noexcept {
  for (int outer = 0; outer < shape.outer; ++outer) {
    for (int c = 0; c < shape.channels; ++c, in += shape.inner, out += shape.inner) {
      fake_quantize({shape.inner}, in, {scale[c], zero_point[c], quant_min, quant_max}, out);
    }
  }
}

}  // namespace ctq::kernels::reference
