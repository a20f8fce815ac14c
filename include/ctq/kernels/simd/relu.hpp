// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/kernels/reference/relu.hpp"
#include "ctq/kernels/simd/rescale.hpp"

namespace ctq::kernels::simd {

/// max(x, 0) in each lane; a select, since max treats NaN and -0 differently on each machine.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> relu(batch<Isa, float> x) noexcept {
  const batch<Isa, float> zero(0.0F);
  return xsimd::select(x < zero, zero, x);
}

/// As reference::relu, bit for bit.
template <class Isa>
[[gnu::always_inline]] inline void relu(elementwise_shape shape, const float* in,
                                        float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::relu(shape, in, out);
  } else {
    using floats = batch<Isa, float>;
    for_blocks<float_lanes<Isa>>(
        shape.count,
        [&](int i)
            __attribute__((always_inline)) { return relu<Isa>(floats::load_unaligned(in + i)); },
        [&](int i, const floats& x) __attribute__((always_inline)) { x.store_unaligned(out + i); },
        [&](int i) __attribute__((always_inline)) { out[i] = reference::relu(in[i]); });
  }
}

/// As reference::relu on integers, byte for byte; equal parameters only clamp.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void relu(elementwise_shape shape, const Q* in, const qparams& from,
                                        const qparams& to, Q* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::relu(shape, in, from, to, out);
  } else if (same_steps(from, to)) {
    const std::int32_t low = to.quant_min < to.zero_point ? to.zero_point : to.quant_min;
    clamp<Isa>(shape, in, static_cast<Q>(low), static_cast<Q>(to.quant_max), out);
  } else {
    requantize<Isa>(shape, in, from, with_relu(quantizer_of(to)), out);
  }
}

}  // namespace ctq::kernels::simd
