// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstring>

#include "ctq/core/kernel_signature.hpp"
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

}  // namespace ctq::kernels::reference
