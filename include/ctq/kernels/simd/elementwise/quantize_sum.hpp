// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/binary_add.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/elementwise_loop.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

namespace ctq::kernels::simd {

/// As reference::quantize_sum, byte for byte. relu is part of the clamp.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void quantize_sum(elementwise_shape shape, const float* a, const Q* b,
                                                const qparams& b_q, const qparams& out_q, Q* out,
                                                bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::quantize_sum(shape, a, b, b_q, out_q, out, relu);
  } else {
    using floats = batch<Isa, float>;
    const quantizer to = relu ? with_relu(quantizer_of(out_q)) : quantizer_of(out_q);
    const quantizer_lanes<Isa> lanes(to);
    const dequantizer_lanes<Isa> from(b_q);
    const float_narrower<Isa> narrower(output_range_of(to));
    const auto sum = [&](int i) __attribute__((always_inline)) {
      return floats::load_unaligned(a + i) + rounded<Isa>(from(b + i));
    };
    for_elements<Isa>(
        shape.count, out,
        [&](int i) __attribute__((always_inline)) {
          return narrower.template bytes_in_order<Q>(
              [&](int k) __attribute__((always_inline)) { return sum(i + k) * lanes.inverse; },
              [&]() __attribute__((always_inline)) {
                return narrow<Isa, Q>([&](int k) __attribute__((always_inline)) {
                  return lanes.nan_safe(sum(i + k));
                });
              });
        },
        [&](int i) __attribute__((always_inline)) {
          reference::quantize_sum({1}, a + i, b + i, b_q, out_q, out + i, relu);
        },
        a, b);
  }
}

}  // namespace ctq::kernels::simd
