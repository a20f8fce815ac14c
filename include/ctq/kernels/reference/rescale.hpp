// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/quantize.hpp"

namespace ctq::kernels::reference {

/// Integers of one scale and zero point to those of another: quantize(dequantize(in[i])).
/// in and out may be the same memory.
template <quantized Q, quantized R>
inline void requantize(elementwise_shape shape, const Q* in, const qparams& from, const qparams& to,
                       R* out) noexcept {
  const quantizer steps = quantizer_of(to);
  for (int i = 0; i < shape.count; ++i) out[i] = quantize<R>(dequantize(in[i], from), steps);
}

}  // namespace ctq::kernels::reference
