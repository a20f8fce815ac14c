// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/compat.hpp"
#include "ctq/kernels/quantizer.hpp"
#include "ctq/kernels/simd/arch/conversions.hpp"
#include "ctq/kernels/simd/arch/convert_avx2.hpp"
#include "ctq/kernels/simd/arch/convert_avx512.hpp"
#include "ctq/kernels/simd/arch/convert_neon.hpp"
#include "ctq/kernels/simd/arch/convert_sse4.hpp"

// Registers of 8-bit integers, of 32-bit integers, of floats: from one to the other, and the two
// formulas of quantization on them. The arch headers are there because xsimd widens element by
// element (13 to 17 times slower) and has no narrowing of integers.

// g++ 12 takes the undefined pass-through operand of AVX-512 intrinsics, xsimd's included, for a
// mistake (GCC bug 105593, gone in 13).
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace ctq::kernels::simd {

template <class Isa>
inline constexpr int float_lanes = static_cast<int>(batch<Isa, float>::size);

/// The next float_lanes bytes as int32.
template <vectorized Isa, quantized Q>
[[nodiscard, gnu::always_inline]] inline batch<Isa, std::int32_t> widen(const Q* in) noexcept {
  return conversions<xsimd_arch<Isa>>::widen(in);
}

template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> to_float(
    batch<Isa, std::int32_t> x) noexcept {
  return xsimd::to_float(x);
}

/// float_lanes integers, which are in Q's range.
template <vectorized Isa, quantized Q>
[[gnu::always_inline]] inline void narrow_store(batch<Isa, std::int32_t> x, Q* out) noexcept {
  conversions<xsimd_arch<Isa>>::narrow_store(x, out);
}

/// A full register of bytes from the integers part(0), part(n), part(2n), part(3n), n being
/// float_lanes; they are in Q's range.
template <vectorized Isa, quantized Q, class Part>
[[nodiscard, gnu::always_inline]] inline batch<Isa, Q> narrow(Part part) noexcept {
  constexpr int n = float_lanes<Isa>;
  return conversions<xsimd_arch<Isa>>::template narrow<Q>(part(0), part(n), part(2 * n),
                                                          part(3 * n));
}

/// reference::dequantize on registers.
template <vectorized Isa>
struct dequantizer_lanes {
  batch<Isa, std::int32_t> zero_point;
  batch<Isa, float> scale;

  [[gnu::always_inline]] explicit dequantizer_lanes(const qparams& p) noexcept
      : zero_point(p.zero_point), scale(p.scale) {}

  template <quantized Q>
  [[nodiscard, gnu::always_inline]] batch<Isa, float> operator()(const Q* in) const noexcept {
    return to_float<Isa>(widen<Isa>(in) - zero_point) * scale;
  }
};

/// reference::quantize on registers.
///
/// Requires  of scales 2⁻¹²⁶ <= scale <= 2¹¹⁸, which keeps 1 / scale and all that 8-bit integers
///           stand for finite, so that only or_zero has to think of NaN
template <vectorized Isa>
struct quantizer_lanes {
  using floats = batch<Isa, float>;
  using integers = batch<Isa, std::int32_t>;

  floats inverse, low, high;
  integers zero_point;

  [[gnu::always_inline]] explicit quantizer_lanes(const quantizer& q) noexcept
      : inverse(q.inverse), low(q.low), high(q.high), zero_point(q.zero_point) {}

  // The bounds are integers, so clamping before rounding is clamping after it.
  [[nodiscard, gnu::always_inline]] integers operator()(floats x) const noexcept {
    const floats steps = xsimd::min(xsimd::max(x * inverse, low), high);
    return integers(conversions<xsimd_arch<Isa>>::round(steps)) + zero_point;
  }
  /// The same for numbers from outside, among which a NaN may be.
  [[nodiscard, gnu::always_inline]] integers or_zero(floats x) const noexcept {
    floats steps = x * inverse;
    steps = xsimd::select(steps == steps, xsimd::max(steps, low), floats(0.0F));
    steps = xsimd::min(steps, high);
    return integers(conversions<xsimd_arch<Isa>>::round(steps)) + zero_point;
  }
};

}  // namespace ctq::kernels::simd

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif
