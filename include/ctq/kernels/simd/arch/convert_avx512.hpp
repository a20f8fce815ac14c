// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__)

#include <immintrin.h>

#include <cstdint>
#include <type_traits>

#include "ctq/kernels/compat.hpp"
#include "ctq/kernels/simd/arch/conversions.hpp"

namespace ctq::kernels::simd {

template <>
struct conversions<xsimd::avx512bw> {
  [[gnu::always_inline]] static __m512i widen(const std::uint8_t* p) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static __m512i widen(const std::int8_t* p) {
    return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static __m512i round(__m512 x) { return _mm512_cvtps_epi32(x); }

  [[gnu::always_inline]] static void narrow_store(__m512i x, void* out) {
    _mm_storeu_si128(static_cast<__m128i*>(out), _mm512_cvtepi32_epi8(x));
  }
  template <class Q>
  [[gnu::always_inline]] static __m512i narrow(__m512i a, __m512i b, __m512i c, __m512i d) {
    const __m512i ab = _mm512_packs_epi32(a, b);
    const __m512i cd = _mm512_packs_epi32(c, d);
    const __m512i bytes =
        std::is_signed_v<Q> ? _mm512_packs_epi16(ab, cd) : _mm512_packus_epi16(ab, cd);
    // The packs work within 128 bits and leave a0 b0 c0 d0 a1 b1 c1 d1 a2 …
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, bytes);
  }
};

}  // namespace ctq::kernels::simd

#endif
