// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/kernels/quantizer.hpp"

namespace ctq::kernels::reference {

/// Channels along any axis: [outer, channels, inner].
struct axis_shape {
  int outer{};
  int channels{};
  int inner{};

  friend constexpr bool operator==(const axis_shape&, const axis_shape&) = default;
};

/// One number: int(clamp(rne(x * inverse), low, high)) + zero_point; the zero point for NaN.
/// ::nearbyintf and no std:: template, since those would be shared by code for different machines.
template <quantized Q>
[[nodiscard, gnu::always_inline]] inline Q quantize(float x, const quantizer& to) noexcept {
  float steps = ::nearbyintf(x * to.inverse);
  if (steps != steps) steps = 0.0F;
  if (steps < to.low) steps = to.low;
  if (steps > to.high) steps = to.high;
  return static_cast<Q>(static_cast<std::int32_t>(steps) + to.zero_point);
}

/// Real numbers to 8-bit integers.
///
///   out[i] = int(clamp(rne(in[i] * (1 / scale)), quant_min - zp, quant_max - zp)) + zp
///
/// Requires  quant_min <= zero_point <= quant_max, both within the range of Q
/// Rounding  to nearest, ties to even; clamped before the conversion, so ±inf give the ends;
///           NaN gives the zero point
/// Source    PyTorch quantize_per_tensor (which multiplies by the inverse as well)
template <quantized Q>
inline void quantize(elementwise_shape shape, const float* in, const qparams& p, Q* out) noexcept {
  const quantizer to = quantizer_of(p);
  for (int i = 0; i < shape.count; ++i) out[i] = quantize<Q>(in[i], to);
}

/// The same with a scale and a zero point for each channel, the last axis: in, out [rows,
/// channels].
template <quantized Q>
inline void quantize(channels_shape shape, const float* in, const float* scale,
                     const std::int32_t* zero_point, std::int32_t quant_min, std::int32_t quant_max,
                     Q* out) noexcept {
  for (int row = 0; row < shape.rows; ++row) {
    for (int c = 0; c < shape.channels; ++c) {
      *out++ = quantize<Q>(*in++, quantizer_of({scale[c], zero_point[c], quant_min, quant_max}));
    }
  }
}

/// The same along any axis: in, out [outer, channels, inner].
///
/// Source    PyTorch quantize_per_channel
template <quantized Q>
inline void quantize_per_channel(const axis_shape& shape, const float* in, const float* scale,
                                 const std::int32_t* zero_point, std::int32_t quant_min,
                                 std::int32_t quant_max, Q* out) noexcept {
  for (int outer = 0; outer < shape.outer; ++outer) {
    for (int c = 0; c < shape.channels; ++c, in += shape.inner, out += shape.inner) {
      quantize(elementwise_shape{shape.inner}, in, {scale[c], zero_point[c], quant_min, quant_max},
               out);
    }
  }
}

}  // namespace ctq::kernels::reference
