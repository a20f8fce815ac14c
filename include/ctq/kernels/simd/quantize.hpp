// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/kernels/reference/quantize.hpp"
#include "ctq/kernels/simd/blocks.hpp"
#include "ctq/kernels/simd/convert.hpp"

namespace ctq::kernels::simd {

/// As reference::quantize, byte for byte.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void quantize(elementwise_shape shape, const float* in,
                                            const qparams& p, Q* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::quantize(shape, in, p, out);
  } else {
    using floats = batch<Isa, float>;
    const quantizer to = quantizer_of(p);
    const quantizer_lanes<Isa> steps(to);
    for_blocks<4 * float_lanes<Isa>>(
        shape.count,
        [&](int i) __attribute__((always_inline)) {
          return narrow<Isa, Q>([&](int k) __attribute__((always_inline)) {
            return steps.or_zero(floats::load_unaligned(in + i + k));
          });
        },
        [&](int i, const batch<Isa, Q>& q)
            __attribute__((always_inline)) { q.store_unaligned(out + i); },
        [&](int i) __attribute__((always_inline)) { out[i] = reference::quantize<Q>(in[i], to); });
  }
}

}  // namespace ctq::kernels::simd
