// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__SSE4_1__)

#include <smmintrin.h>

namespace ctq::kernels::simd {

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
[[gnu::always_inline]] inline __m128 fma_sse4(__m128 x, __m128 y, __m128 z) {
  const auto upper = [](__m128 v) { return _mm_cvtps_pd(_mm_movehl_ps(v, v)); };
  const __m128d low = fma_to_odd(_mm_cvtps_pd(x), _mm_cvtps_pd(y), _mm_cvtps_pd(z));
  const __m128d high = fma_to_odd(upper(x), upper(y), upper(z));
  return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
}

}  // namespace ctq::kernels::simd

#endif
