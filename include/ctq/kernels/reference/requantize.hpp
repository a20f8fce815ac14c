// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/kernels/quantizer.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/quantize.hpp"

namespace ctq::kernels::reference {

using kernels::requantize;  // of one accumulator

/// Requantizes stored accumulators to 8-bit integers, with one multiplier for all channels.
template <quantized Q>
inline void requantize(elementwise_shape shape, const std::int32_t* in, float multiplier,
                       const output_range& to, Q* out) noexcept {
  for (int i = 0; i < shape.count; ++i) {
    out[i] = static_cast<Q>(requantize(in[i], multiplier, to));
  }
}

/// Converts integers to another scale and zero point: quantize(dequantize(in[i])). out may be in.
template <quantized Q, quantized R>
inline void requantize(elementwise_shape shape, const Q* in, const qparams& from, const qparams& to,
                       R* out) noexcept {
  const quantizer q = quantizer_of(to);
  for (int i = 0; i < shape.count; ++i) out[i] = quantize<R>(dequantize(in[i], from), q);
}

}  // namespace ctq::kernels::reference
