// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

#include <cstdint>
#include <type_traits>

#include "ctq/kernels/compat.hpp"
#include "ctq/kernels/simd/arch/conversions.hpp"
#include "ctq/kernels/simd/arch/register256.hpp"

namespace ctq::kernels::simd {

template <>
struct conversions<xsimd::fma3<xsimd::avx2>> {
  [[gnu::always_inline]] static __m256i widen(const std::uint8_t* p) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static __m256i widen(const std::int8_t* p) {
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static __m256i round(__m256 x) { return _mm256_cvtps_epi32(x); }

  [[gnu::always_inline]] static void narrow_store(__m256i x, void* out) {
    const __m128i low = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m128i a = _mm_shuffle_epi8(_mm256_castsi256_si128(x), low);
    const __m128i b = _mm_shuffle_epi8(_mm256_extracti128_si256(x, 1), low);
    _mm_storel_epi64(static_cast<__m128i*>(out), _mm_unpacklo_epi32(a, b));
  }
  template <class Q>
  [[gnu::always_inline]] static __m256i narrow(__m256i a, __m256i b, __m256i c, __m256i d) {
    const __m256i ab = _mm256_packs_epi32(a, b);
    const __m256i cd = _mm256_packs_epi32(c, d);
    const __m256i bytes =
        std::is_signed_v<Q> ? _mm256_packs_epi16(ab, cd) : _mm256_packus_epi16(ab, cd);
    // The packs work within 128 bits and leave a0 b0 c0 d0 a1 b1 c1 d1.
    return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }

  [[gnu::always_inline]] static void stream(void* p, __m256i x) {
    _mm256_stream_si256(static_cast<__m256i*>(p), x);
  }
  [[gnu::always_inline]] static void stream(void* p, __m256 x) {
    stream(p, _mm256_castps_si256(x));
  }
  [[gnu::always_inline]] static void stream_fence() { _mm_sfence(); }

  using range = register256::bounds;
  [[gnu::always_inline]] static __m256i words(__m256i a, __m256i b) {
    return register256::narrow(a, b);
  }
  template <class Q>
  [[gnu::always_inline]] static __m256i bytes(__m256i v, __m256i w, const range& to) {
    return register256::finish_or_saturate<Q>(v, w, to);
  }
  [[gnu::always_inline]] static __m256i ordered(__m256i x) {
    // The packs work within 128 bits and leave a0 b0 c0 d0 a1 b1 c1 d1.
    return _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }
  [[gnu::always_inline]] static bool lowest(__m256i v, __m256i w) {
    const __m256i least = _mm256_min_epi16(v, w);
    return _mm256_movemask_epi8(_mm256_cmpeq_epi16(least, _mm256_set1_epi16(-32768))) != 0;
  }
  template <int Part>
  [[gnu::always_inline]] static __m256 biased(__m256i x) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i high = _mm256_set1_epi16(0x4B00);
    const __m256i half = Part < 2 ? _mm256_unpacklo_epi8(x, zero) : _mm256_unpackhi_epi8(x, zero);
    return _mm256_castsi256_ps(Part % 2 == 0 ? _mm256_unpacklo_epi16(half, high)
                                             : _mm256_unpackhi_epi16(half, high));
  }
};

}  // namespace ctq::kernels::simd

#endif
