// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/intrinsics.hpp"
#include "ctq/kernels/xsimd.hpp"

// Register arithmetic with exact IEEE 754 rounding, where xsimd or the compiler would only
// approximate it.

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// x, protected from contraction with a following add into an fma: see no_contract.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> rounded(batch<Isa, float> x) noexcept {
  using register_type = typename batch<Isa, float>::register_type;
  return no_contract(static_cast<register_type>(x));
}

/// x / y, correctly rounded. On ARM xsimd (8.1 to 14.3) refines an estimate, which can be off by
/// one bit.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> divide(batch<Isa, float> x,
                                                                  batch<Isa, float> y) noexcept {
#if defined(__aarch64__)
  return vdivq_f32(x, y);
#else
  return x / y;
#endif
}

/// low where x < low, else x, including NaN and -0. On x86 max returns the second operand if one is
/// NaN or both are zero; it costs half of a select, which g++ 12 compiles to a comparison and a
/// blend.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> at_least(
    batch<Isa, float> x, batch<Isa, float> low) noexcept {
#if defined(__x86_64__)
  return xsimd::max(low, x);
#else
  return xsimd::select(x < low, low, x);
#endif
}
/// high where x > high, else x.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> at_most(
    batch<Isa, float> x, batch<Isa, float> high) noexcept {
#if defined(__x86_64__)
  return xsimd::min(high, x);
#else
  return xsimd::select(x > high, high, x);
#endif
}

/// Satisfied by instruction sets with a fused multiply-add; SSE has none.
template <class Isa>
concept has_fma = isa::includes<Isa, isa::avx2> || isa::includes<Isa, isa::neon>;

/// x * y + z, rounded once. xsimd 8.1 has no 512-bit fma and uses two operations instead.
template <has_fma Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> fma(batch<Isa, float> x,
                                                               batch<Isa, float> y,
                                                               batch<Isa, float> z) noexcept {
#if defined(__AVX512F__)
  if constexpr (isa::includes<Isa, isa::avx512>) return _mm512_fmadd_ps(x, y, z);
#endif
  return xsimd::fma(x, y, z);
}

#if defined(__SSE2__)
/// x * y + z for doubles with float values, as a double that rounds to the float result of a fused
/// multiply-add. The product is exact; the sum is rounded to odd: its last bit is set if it is
/// inexact, so that the second rounding cannot mistake it for a tie.
/// Source    Boldo, Melquiond: Emulation of a FMA and correctly rounded sums (2008)
[[gnu::always_inline]] inline __m128d fma_to_odd(__m128d x, __m128d y, __m128d z) {
  const __m128d product = _mm_mul_pd(x, y);
  const __m128d sum = _mm_add_pd(product, z);
  const __m128d z_part = _mm_sub_pd(sum, product);
  const __m128d lost =
      _mm_add_pd(_mm_sub_pd(product, _mm_sub_pd(sum, z_part)), _mm_sub_pd(z, z_part));
  // First rounded toward zero, then to odd.
  const __m128i bits = _mm_castpd_si128(sum);
  const __m128i one = _mm_set1_epi64x(1);
  const __m128d zero = _mm_setzero_pd();
  // For NaN and infinity `lost` is NaN, for which both comparisons are false.
  const __m128i inexact =
      _mm_castpd_si128(_mm_or_pd(_mm_cmplt_pd(lost, zero), _mm_cmpgt_pd(lost, zero)));
  const __m128i opposite =
      _mm_castpd_si128(_mm_xor_pd(_mm_cmplt_pd(lost, zero), _mm_cmplt_pd(sum, zero)));
  const __m128i toward_zero = _mm_add_epi64(bits, _mm_and_si128(inexact, opposite));
  const __m128i odd = _mm_or_si128(toward_zero, _mm_and_si128(inexact, one));
  return _mm_castsi128_pd(odd);
}

/// x * y + z, rounded once, on machines without the instruction.
[[gnu::always_inline]] inline __m128 fma_sse2(__m128 x, __m128 y, __m128 z) {
  const auto upper = [](__m128 v) { return _mm_cvtps_pd(_mm_movehl_ps(v, v)); };
  const __m128d low = fma_to_odd(_mm_cvtps_pd(x), _mm_cvtps_pd(y), _mm_cvtps_pd(z));
  const __m128d high = fma_to_odd(upper(x), upper(y), upper(z));
  return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
}

/// As above, emulated where there is no such instruction: the same bits, about 15 times slower.
template <vectorized Isa>
requires(!has_fma<Isa>)
    [[nodiscard, gnu::always_inline]] inline batch<Isa, float> fma(batch<Isa, float> x,
                                                                   batch<Isa, float> y,
                                                                   batch<Isa, float> z) noexcept {
  return fma_sse2(x, y, z);
}
#endif

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
