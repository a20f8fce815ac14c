// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <type_traits>

#include "ctq/kernels/reference/rescale.hpp"
#include "ctq/kernels/simd/blocks.hpp"
#include "ctq/kernels/simd/convert.hpp"

namespace ctq::kernels::simd {

/// clamp(in[i], low, high) on the bytes themselves.
template <vectorized Isa, quantized Q>
[[gnu::always_inline]] inline void clamp(elementwise_shape shape, const Q* in, Q low, Q high,
                                         Q* out) noexcept {
  using bytes = batch<Isa, Q>;
  const bytes lows(low), highs(high);
  for_blocks<static_cast<int>(bytes::size)>(
      shape.count,
      [&](int i) __attribute__((always_inline)) {
        return xsimd::min(xsimd::max(bytes::load_unaligned(in + i), lows), highs);
      },
      [&](int i, const bytes& q) __attribute__((always_inline)) { q.store_unaligned(out + i); },
      [&](int i) __attribute__((always_inline)) {
        const Q raised = in[i] < low ? low : in[i];
        out[i] = raised > high ? high : raised;
      });
}

/// Steps that numbers up to 255 * scale become are far from what an int32 can hold, so they may be
/// rounded first and clamped as bytes.
[[nodiscard, gnu::always_inline]] constexpr bool steps_fit(float scale, const quantizer& to) {
  return 256.0F * scale * to.inverse < 0x1p30F;
}

/// quantize(dequantize(in[i])) of scales so far apart that steps must be clamped as floats.
template <vectorized Isa, quantized Q, quantized R>
[[gnu::noinline]] void requantize_far(elementwise_shape shape, const Q* in, const qparams& from,
                                      const quantizer& to, R* out) noexcept {
  const dequantizer_lanes<Isa> numbers(from);
  const quantizer_lanes<Isa> steps(to);
  for_blocks<4 * float_lanes<Isa>>(
      shape.count,
      [&](int i) __attribute__((always_inline)) {
        return narrow<Isa, R>([&](int k) __attribute__((always_inline)) {
          return steps(numbers(in + i + k));
        });
      },
      [&](int i, const batch<Isa, R>& q)
          __attribute__((always_inline)) { q.store_unaligned(out + i); },
      [&](int i) __attribute__((always_inline)) {
        out[i] = reference::quantize<R>(reference::dequantize(in[i], from), to);
      });
}

/// quantize(dequantize(in[i])) with the constants of quantize given.
template <vectorized Isa, quantized Q, quantized R>
[[gnu::always_inline]] inline void requantize(elementwise_shape shape, const Q* in,
                                              const qparams& from, const quantizer& to,
                                              R* out) noexcept {
  if (!steps_fit(from.scale, to)) return requantize_far<Isa>(shape, in, from, to, out);
  const part_dequantizer<Isa> numbers(from, std::type_identity<Q>{});
  const batch<Isa, float> inverse(to.inverse);
  const step_narrower<Isa> steps(steps_of(to));
  for_blocks<4 * float_lanes<Isa>>(
      shape.count,
      [&](int i) __attribute__((always_inline)) {
        const auto x = numbers.load(in + i);
        return steps.template bytes<R>([&](auto k) __attribute__((always_inline)) {
          return numbers.template part<k>(x) * inverse;
        });
      },
      [&](int i, const batch<Isa, R>& q)
          __attribute__((always_inline)) { q.store_unaligned(out + i); },
      [&](int i) __attribute__((always_inline)) {
        out[i] = reference::quantize<R>(reference::dequantize(in[i], from), to);
      });
}

/// As reference::requantize, byte for byte; equal parameters only clamp.
template <class Isa, quantized Q, quantized R>
[[gnu::always_inline]] inline void requantize(elementwise_shape shape, const Q* in,
                                              const qparams& from, const qparams& to,
                                              R* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::requantize(shape, in, from, to, out);
  } else {
    if constexpr (std::same_as<Q, R>) {
      if (same_steps(from, to)) {
        clamp<Isa>(shape, in, static_cast<Q>(to.quant_min), static_cast<Q>(to.quant_max), out);
        return;
      }
    }
    requantize<Isa>(shape, in, from, quantizer_of(to), out);
  }
}

}  // namespace ctq::kernels::simd
