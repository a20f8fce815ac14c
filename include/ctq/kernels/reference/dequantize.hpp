// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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

}  // namespace ctq::kernels::reference
