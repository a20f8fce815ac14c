// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/quantize.hpp"

namespace ctq::kernels::reference {

/// Converts integers to another scale and zero point: quantize(dequantize(in[i])). out may be in.
template <quantized Q, quantized R>
inline void requantize(elementwise_shape shape, const Q* in, const qparams& from, const qparams& to,
                       R* out) noexcept {
  const quantizer q = quantizer_of(to);
  for (int i = 0; i < shape.count; ++i) out[i] = quantize<R>(dequantize(in[i], from), q);
}

}  // namespace ctq::kernels::reference
