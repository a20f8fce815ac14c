// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/quantizer.hpp"

namespace ctq::kernels::reference {

template <quantized Q>
[[nodiscard, gnu::always_inline]] inline float dequantize(Q q, const qparams& p) noexcept {
  return static_cast<float>(q - p.zero_point) * p.scale;
}

/// out[i] = float(in[i] - zero_point) * scale, rounded once.
template <quantized Q>
inline void dequantize(elementwise_shape shape, const Q* in, const qparams& p,
                       float* out) noexcept {
  for (int i = 0; i < shape.count; ++i) out[i] = dequantize(in[i], p);
}

/// From the accumulators of a layer to floats:
///
///   out[row,c] = float(accumulators[row,c]) * multiplier[c]
///
/// Requires  out is the memory of the accumulators, or does not overlap it
/// Rounding  to nearest, ties to even: in the conversion, and in the product
inline void dequantize_accumulators(channels_shape s, const std::int32_t* accumulators,
                                    const float* multiplier, float* out) noexcept {
  for (int row = 0; row < s.rows; ++row) {
    for (int c = 0; c < s.channels; ++c) {
      std::int32_t sum;
      std::memcpy(&sum, accumulators++, sizeof sum);  // which may be the same memory as out
      *out++ = static_cast<float>(sum) * multiplier[c];
    }
  }
}

/// What converts the accumulators of a dynamically quantized layer to floats.
struct dynamic_scales {
  float scale;                      // of the input
  std::int32_t zero_point;          // of the input
  const float* weight_scale;        // (C)
  const float* bias;                // (C)
  const std::int32_t* weight_sums;  // (C)
  bool relu;
};

/// From accumulators without the zero point to floats:
///
///   out[row,c] = fma(float(accumulators[row,c] - zero_point * weight_sums[c]),
///                    scale * weight_scale[c], bias[c]), or relu of it
///
/// Requires  out is the memory of the accumulators, or does not overlap it
/// Rounding  to nearest, ties to even: in the conversion, in the product of scales, in fma
/// Overflow  integers are computed modulo 2^32
inline void dequantize_dynamic(channels_shape s, const std::int32_t* accumulators,
                               const dynamic_scales& to, float* out) noexcept {
  for (int row = 0; row < s.rows; ++row) {
    for (int c = 0; c < s.channels; ++c) {
      std::uint32_t sum;
      std::memcpy(&sum, accumulators++, sizeof sum);  // which may be the same memory as out
      sum -=
          static_cast<std::uint32_t>(to.zero_point) * static_cast<std::uint32_t>(to.weight_sums[c]);
      const float y = ::fmaf(static_cast<float>(static_cast<std::int32_t>(sum)),
                             to.scale * to.weight_scale[c], to.bias[c]);
      *out++ = to.relu && y < 0.0F ? 0.0F : y;
    }
  }
}

}  // namespace ctq::kernels::reference
