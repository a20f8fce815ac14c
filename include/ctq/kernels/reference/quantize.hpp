// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/quantizer.hpp"

namespace ctq::kernels::reference {

/// A tensor with channels along any axis: [outer, channels, inner].
struct axis_shape {
  int outer{};
  int channels{};
  int inner{};

  friend constexpr bool operator==(const axis_shape&, const axis_shape&) = default;
};

/// clamp(rne(x * inverse), low, high), 0 for NaN: a whole number. Calls ::nearbyintf rather than a
/// std:: template, whose instantiations the linker would share between translation units for
/// different instruction sets.
[[nodiscard, gnu::always_inline]] inline float round_and_clamp(float x,
                                                               const quantizer& to) noexcept {
  float q = ::nearbyintf(x * to.inverse);
  if (q != q) q = 0.0F;
  if (q < to.low) q = to.low;
  if (q > to.high) q = to.high;
  return q;
}

/// Quantizes one value; NaN gives the zero point.
template <quantized Q>
[[nodiscard, gnu::always_inline]] inline Q quantize(float x, const quantizer& to) noexcept {
  return static_cast<Q>(static_cast<std::int32_t>(round_and_clamp(x, to)) + to.zero_point);
}

/// Quantizes float32 to 8-bit integers.
///
///   out[i] = int(clamp(rne(in[i] * (1 / scale)), quant_min - zp, quant_max - zp)) + zp
///
/// Requires  quant_min <= zero_point <= quant_max, both within the range of Q
/// Rounding  to nearest, ties to even; clamped before the conversion to int, so ±inf give the
///           bounds; NaN gives the zero point
/// Source    PyTorch quantize_per_tensor (which also multiplies by the inverse)
template <quantized Q>
inline void quantize(elementwise_shape shape, const float* in, const qparams& p, Q* out) noexcept {
  const quantizer to = quantizer_of(p);
  for (int i = 0; i < shape.count; ++i) out[i] = quantize<Q>(in[i], to);
}

/// The same with a scale and a zero point per channel, the last axis: in, out [rows, channels].
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

/// The same with channels along any axis: in, out [outer, channels, inner].
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
