// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "ctq/kernels/simd/convert.hpp"
#include "ctq/kernels/simd/streaming.hpp"

// Kernels on 8-bit integers as they are defined: quantize(op(dequantize(in[i]), …)). op takes
// floats, one of each operand, and registers of them.

namespace ctq::kernels::simd {

/// 8-bit integers and what they stand for.
template <quantized Q>
struct quantized_operand {
  const Q* in;
  const qparams& q;
};

/// Steps that numbers up to 255 * scale become are far from what an int32 can hold, so they may be
/// rounded first and clamped as bytes.
[[nodiscard, gnu::always_inline]] constexpr bool steps_fit(float scale, const quantizer& to) {
  return 256.0F * scale * to.inverse < 0x1p30F;
}

/// out[i].
template <quantized R, class Op, quantized... Q>
[[nodiscard, gnu::always_inline]] inline auto element_through_floats(
    R* out, const quantizer& to, Op op, const quantized_operand<Q>&... x) noexcept {
  return [=](int i) __attribute__((always_inline)) {
    out[i] = reference::quantize<R>(op(reference::dequantize(x.in[i], x.q)...), to);
  };
}

/// The register of results that starts at i. Requires that all steps fit.
template <vectorized Isa, quantized R, class Op, quantized... Q>
[[nodiscard, gnu::always_inline]] inline auto block_through_floats(
    const quantizer& to, Op op, const quantized_operand<Q>&... x) noexcept {
  return [
    op, inverse = batch<Isa, float>(to.inverse), steps = step_narrower<Isa>(steps_of(to)),
    ... from = part_dequantizer<Isa>(x.q, std::type_identity<Q>{}), ... in = x.in
  ](int i) __attribute__((always_inline)) {
    return [&](const auto&... bytes) __attribute__((always_inline)) {
      return steps.template bytes<R>([&](auto k) __attribute__((always_inline)) {
        return op(from.template part<k>(bytes)...) * inverse;
      });
    }
    (from.load(in + i)...);
  };
}

/// All results with steps that are clamped as floats, for scales that are far apart.
template <vectorized Isa, quantized R, class Op, quantized... Q>
[[gnu::noinline]] void through_far_floats(elementwise_shape shape, R* out, const quantizer& to,
                                          Op op, const quantized_operand<Q>&... x) noexcept {
  const quantizer_lanes<Isa> steps(to);
  [&](const auto&... from) __attribute__((always_inline)) {
    for_elements<Isa>(
        shape.count, out,
        [&](int i) __attribute__((always_inline)) {
          return narrow<Isa, R>([&](int k) __attribute__((always_inline)) {
            return steps(op(from(x.in + i + k)...));
          });
        },
        element_through_floats(out, to, op, x...), x.in...);
  }
  (dequantizer_lanes<Isa>(x.q)...);
}

/// All results.
template <vectorized Isa, quantized R, class Op, quantized... Q>
[[gnu::always_inline]] inline void dequantize_apply_quantize(
    elementwise_shape shape, bool fits, R* out, const quantizer& to, Op op,
    const quantized_operand<Q>&... x) noexcept {
  if (!fits) return through_far_floats<Isa>(shape, out, to, op, x...);
  for_elements<Isa>(shape.count, out, block_through_floats<Isa, R>(to, op, x...),
                    element_through_floats(out, to, op, x...), x.in...);
}

}  // namespace ctq::kernels::simd
