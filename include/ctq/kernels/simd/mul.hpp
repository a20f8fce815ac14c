// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "ctq/kernels/reference/mul.hpp"
#include "ctq/kernels/simd/add.hpp"

namespace ctq::kernels::simd {

/// As reference::mul on integers, byte for byte. relu lies in the clamp.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void mul(elementwise_shape shape, const Q* a, const qparams& a_q,
                                       const Q* b, const qparams& b_q, const qparams& out_q, Q* out,
                                       bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::mul(shape, a, a_q, b, b_q, out_q, out, relu);
  } else {
    const quantizer to = relu ? with_relu(quantizer_of(out_q)) : quantizer_of(out_q);
    const auto one_by_one = [&](int i) __attribute__((always_inline)) {
      const float product = reference::dequantize(a[i], a_q) * reference::dequantize(b[i], b_q);
      out[i] = reference::quantize<Q>(product, to);
    };
    // Scales that are far apart: steps beyond an int32 are clamped as floats.
    if (!(256.0F * a_q.scale * (256.0F * b_q.scale) * to.inverse < 0x1p30F)) {
      const dequantizer_lanes<Isa> from_a(a_q), from_b(b_q);
      const quantizer_lanes<Isa> steps(to);
      return for_sums<Isa>(
          shape, a, b, out,
          [&](int i) __attribute__((always_inline)) {
            return narrow<Isa, Q>([&](int k) __attribute__((always_inline)) {
              return steps(from_a(a + i + k) * from_b(b + i + k));
            });
          },
          one_by_one);
    }
    const part_dequantizer<Isa> from_a(a_q, std::type_identity<Q>{});
    const part_dequantizer<Isa> from_b(b_q, std::type_identity<Q>{});
    const batch<Isa, float> inverse(to.inverse);
    const step_narrower<Isa> steps(steps_of(to));
    for_sums<Isa>(
        shape, a, b, out,
        [&](int i) __attribute__((always_inline)) {
          const auto x = from_a.load(a + i);
          const auto y = from_b.load(b + i);
          return steps.template bytes<Q>([&](auto k) __attribute__((always_inline)) {
            return from_a.template part<k>(x) * from_b.template part<k>(y) * inverse;
          });
        },
        one_by_one);
  }
}

/// As reference::mul on floats, bit for bit.
template <class Isa>
[[gnu::always_inline]] inline void mul(elementwise_shape shape, const float* a, const float* b,
                                       float* out, bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::mul(shape, a, b, out, relu);
  } else {
    using floats = batch<Isa, float>;
    for_blocks<float_lanes<Isa>>(
        shape.count,
        [&](int i) __attribute__((always_inline)) {
          const floats product = floats::load_unaligned(a + i) * floats::load_unaligned(b + i);
          return relu ? simd::relu<Isa>(product) : product;
        },
        [&](int i, const floats& x) __attribute__((always_inline)) { x.store_unaligned(out + i); },
        [&](int i) __attribute__((always_inline)) {
          const float product = a[i] * b[i];
          out[i] = relu ? reference::relu(product) : product;
        });
  }
}

}  // namespace ctq::kernels::simd
