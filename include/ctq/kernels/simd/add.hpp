// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/kernels/reference/add.hpp"
#include "ctq/kernels/simd/relu.hpp"
#include "ctq/kernels/simd/rounding.hpp"

namespace ctq::kernels::simd {

/// add of scales so far apart that steps must be clamped as floats.
template <vectorized Isa, quantized Q>
[[gnu::noinline]] void add_far(elementwise_shape shape, const Q* a, const qparams& a_q, const Q* b,
                               const qparams& b_q, const quantizer& to, Q* out) noexcept {
  const dequantizer_lanes<Isa> from_a(a_q);
  const dequantizer_lanes<Isa> from_b(b_q);
  const quantizer_lanes<Isa> steps(to);
  for_blocks<4 * float_lanes<Isa>>(
      shape.count,
      [&](int i) __attribute__((always_inline)) {
        return narrow<Isa, Q>([&](int k) __attribute__((always_inline)) {
          return steps(rounded<Isa>(from_a(a + i + k)) + rounded<Isa>(from_b(b + i + k)));
        });
      },
      [&](int i, const batch<Isa, Q>& q)
          __attribute__((always_inline)) { q.store_unaligned(out + i); },
      [&](int i) __attribute__((always_inline)) {
        out[i] = reference::quantize<Q>(reference::add(a[i], a_q, b[i], b_q), to);
      });
}

/// As reference::add on integers, byte for byte. relu lies in the clamp.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void add(elementwise_shape shape, const Q* a, const qparams& a_q,
                                       const Q* b, const qparams& b_q, const qparams& out_q, Q* out,
                                       bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::add(shape, a, a_q, b, b_q, out_q, out, relu);
  } else {
    const quantizer to = relu ? with_relu(quantizer_of(out_q)) : quantizer_of(out_q);
    if (!steps_fit(a_q.scale, to) || !steps_fit(b_q.scale, to)) {
      return add_far<Isa>(shape, a, a_q, b, b_q, to, out);
    }
    const part_dequantizer<Isa> from_a(a_q, std::type_identity<Q>{});
    const part_dequantizer<Isa> from_b(b_q, std::type_identity<Q>{});
    const batch<Isa, float> inverse(to.inverse);
    const step_narrower<Isa> steps(steps_of(to));
    const auto sum = [&](int i) __attribute__((always_inline)) {
      const auto x = from_a.load(a + i);
      const auto y = from_b.load(b + i);
      return steps.template bytes<Q>([&](auto k) __attribute__((always_inline)) {
        return (rounded<Isa>(from_a.template part<k>(x)) +
                rounded<Isa>(from_b.template part<k>(y))) *
               inverse;
      });
    };
    const auto one_by_one = [&](int i) __attribute__((always_inline)) {
      out[i] = reference::quantize<Q>(reference::add(a[i], a_q, b[i], b_q), to);
    };
    constexpr int block = 4 * float_lanes<Isa>;
    if (out == a || out == b) {
      for_blocks<block>(
          shape.count, sum,
          [&](int i, const batch<Isa, Q>& q)
              __attribute__((always_inline)) { q.store_unaligned(out + i); },
          one_by_one);
    } else {
      for_streamed_blocks<Isa, block>(shape.count, out, 2 * sizeof(Q), sum, one_by_one);
    }
  }
}

/// As reference::add on floats, bit for bit.
template <class Isa>
[[gnu::always_inline]] inline void add(elementwise_shape shape, const float* a, const float* b,
                                       float* out, bool relu) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::add(shape, a, b, out, relu);
  } else {
    using floats = batch<Isa, float>;
    for_blocks<float_lanes<Isa>>(
        shape.count,
        [&](int i) __attribute__((always_inline)) {
          const floats sum = floats::load_unaligned(a + i) + floats::load_unaligned(b + i);
          return relu ? simd::relu<Isa>(sum) : sum;
        },
        [&](int i, const floats& x) __attribute__((always_inline)) { x.store_unaligned(out + i); },
        [&](int i) __attribute__((always_inline)) {
          const float sum = a[i] + b[i];
          out[i] = relu ? reference::relu(sum) : sum;
        });
  }
}

}  // namespace ctq::kernels::simd
