// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/simd/elementwise_loop.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

namespace ctq::kernels::simd {

/// As reference::dequantize, bit for bit.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void dequantize(elementwise_shape shape, const Q* in,
                                              const qparams& p, float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::dequantize(shape, in, p, out);
  } else {
    const dequantizer_lanes<Isa> lanes(p);
    for_elements<Isa>(
        shape.count, out, [&](int i) __attribute__((always_inline)) { return lanes(in + i); },
        [&](int i) __attribute__((always_inline)) { out[i] = reference::dequantize(in[i], p); },
        in);
  }
}

}  // namespace ctq::kernels::simd
