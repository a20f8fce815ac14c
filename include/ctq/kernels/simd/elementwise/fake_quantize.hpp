// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/fake_quantize.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/elementwise_loop.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

namespace ctq::kernels::simd {

/// As reference::fake_quantize, bit for bit.
template <class Isa>
[[gnu::always_inline]] inline void fake_quantize(elementwise_shape shape, const float* in,
                                                 const qparams& p, float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::fake_quantize(shape, in, p, out);
  } else {
    using floats = batch<Isa, float>;
    const quantizer to = quantizer_of(p);
    const floats inverse(to.inverse), low(to.low), high(to.high), scale(p.scale), zero(0.0F);
    for_elements<Isa>(
        shape.count, out,
        [&](int i) __attribute__((always_inline)) {
          const floats q = nearest<Isa>(floats::load_unaligned(in + i) * inverse);
          const floats number = xsimd::select(q == q, q, zero);
          return at_most<Isa>(at_least<Isa>(number, low), high) * scale;
        },
        [&](int i) __attribute__((always_inline)) {
          out[i] = reference::fake_quantize(in[i], to, p.scale);
        },
        in);
  }
}

}  // namespace ctq::kernels::simd
