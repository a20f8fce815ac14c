// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "ctq/kernels/simd/elementwise_loop.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

// Kernels on 8-bit integers, computed as they are defined: quantize(op(dequantize(in[i]), …)). op
// takes one float per operand, or one register of floats per operand.

namespace ctq::kernels::simd {

/// 8-bit integers and their quantization parameters.
template <quantized Q>
struct quantized_operand {
  const Q* in;
  const qparams& q;
};

/// Whether values up to 255 * scale, divided by the output's scale, fit easily in an int32, so that
/// they can be rounded before they are clamped.
[[nodiscard, gnu::always_inline]] constexpr bool scaled_fits_int32(float scale,
                                                                   const quantizer& to) {
  return 256.0F * scale * to.inverse < 0x1p30F;
}

/// Computes and stores out[i].
template <quantized R, class Op, quantized... Q>
[[nodiscard, gnu::always_inline]] inline auto dequantize_apply_quantize_at(
    R* out, const quantizer& to, Op op, const quantized_operand<Q>&... x) noexcept {
  return [=](int i) __attribute__((always_inline)) {
    out[i] = reference::quantize<R>(op(reference::dequantize(x.in[i], x.q)...), to);
  };
}

/// Computes the register of results that starts at i.
/// Requires  scaled_fits_int32 for all operands
template <vectorized Isa, quantized R, class Op, quantized... Q>
[[nodiscard, gnu::always_inline]] inline auto dequantize_apply_quantize_block(
    const quantizer& to, Op op, const quantized_operand<Q>&... x) noexcept {
  return [
    op, inverse = batch<Isa, float>(to.inverse),
    narrower = float_narrower<Isa>(output_range_of(to)),
    ... from = byte_dequantizer<Isa>(x.q, std::type_identity<Q>{}), ... in = x.in
  ](int i) __attribute__((always_inline)) {
    return [&](const auto&... bytes) __attribute__((always_inline)) {
      return narrower.template bytes<R>([&](auto k) __attribute__((always_inline)) {
        return op(from.template part<k>(bytes)...) * inverse;
      });
    }
    (from.load(in + i)...);
  };
}

/// Computes all results, clamping as floats before rounding, for scales that are far apart.
template <vectorized Isa, quantized R, class Op, quantized... Q>
[[gnu::noinline]] void dequantize_apply_quantize_wide(elementwise_shape shape, R* out,
                                                      const quantizer& to, Op op,
                                                      const quantized_operand<Q>&... x) noexcept {
  const quantizer_lanes<Isa> lanes(to);
  [&](const auto&... from) __attribute__((always_inline)) {
    for_elements<Isa>(
        shape.count, out,
        [&](int i) __attribute__((always_inline)) {
          return narrow<Isa, R>([&](int k) __attribute__((always_inline)) {
            return lanes(op(from(x.in + i + k)...));
          });
        },
        dequantize_apply_quantize_at(out, to, op, x...), x.in...);
  }
  (dequantizer_lanes<Isa>(x.q)...);
}

/// Computes all results. `fits` is the result of scaled_fits_int32.
template <vectorized Isa, quantized R, class Op, quantized... Q>
[[gnu::always_inline]] inline void dequantize_apply_quantize(
    elementwise_shape shape, bool fits, R* out, const quantizer& to, Op op,
    const quantized_operand<Q>&... x) noexcept {
  if (!fits) return dequantize_apply_quantize_wide<Isa>(shape, out, to, op, x...);
  for_elements<Isa>(shape.count, out, dequantize_apply_quantize_block<Isa, R>(to, op, x...),
                    dequantize_apply_quantize_at(out, to, op, x...), x.in...);
}

}  // namespace ctq::kernels::simd
