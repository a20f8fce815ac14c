// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/relu.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/elementwise/requantize.hpp"
#include "ctq/kernels/simd/elementwise_loop.hpp"

namespace ctq::kernels::simd {

/// max(x, 0) in each lane; preserves NaN and -0.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> relu(batch<Isa, float> x) noexcept {
  return at_least<Isa>(x, batch<Isa, float>(0.0F));
}

/// out[i] = op(in[i], …), or max(op(in[i], …), 0) if relu. op takes floats or registers of floats.
template <vectorized Isa, class Op, class... In>
[[gnu::always_inline]] inline void for_floats(elementwise_shape shape, float* out, bool relu, Op op,
                                              const In*... in) noexcept {
  for_elements<Isa>(
      shape.count, out,
      [&](int i) __attribute__((always_inline)) {
        const auto x = op(batch<Isa, float>::load_unaligned(in + i)...);
        return relu ? simd::relu<Isa>(x) : x;
      },
      [&](int i) __attribute__((always_inline)) {
        const float x = op(in[i]...);
        out[i] = relu ? reference::relu(x) : x;
      },
      in...);
}

/// As reference::relu, bit for bit.
template <class Isa>
[[gnu::always_inline]] inline void relu(elementwise_shape shape, const float* in,
                                        float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::relu(shape, in, out);
  } else {
    for_floats<Isa>(
        shape, out, true, [](const auto& x) __attribute__((always_inline)) { return x; }, in);
  }
}

/// As reference::relu on integers, byte for byte. With equal qparams it only clamps.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void relu(elementwise_shape shape, const Q* in, const qparams& from,
                                        const qparams& to, Q* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::relu(shape, in, from, to, out);
  } else if (same_scale_and_zero_point(from, to)) {
    const std::int32_t low = to.quant_min < to.zero_point ? to.zero_point : to.quant_min;
    clamp<Isa>(shape, in, static_cast<Q>(low), static_cast<Q>(to.quant_max), out);
  } else {
    requantize<Isa>(shape, in, from, with_relu(quantizer_of(to)), out);
  }
}

}  // namespace ctq::kernels::simd
