// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

#include <immintrin.h>

#include <cstdint>
#include <type_traits>

#include "ctq/kernels/compat.hpp"
#include "ctq/kernels/simd/arch/conversions.hpp"
#include "ctq/kernels/simd/arch/register512.hpp"

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

  [[gnu::always_inline]] static void stream(void* p, __m512i x) {
    _mm512_stream_si512(static_cast<__m512i*>(p), x);
  }
  [[gnu::always_inline]] static void stream(void* p, __m512 x) {
    stream(p, _mm512_castps_si512(x));
  }
  [[gnu::always_inline]] static void stream_fence() { _mm_sfence(); }

  using range = register512::bounds;
  [[gnu::always_inline]] static __m512i words(__m512i a, __m512i b) {
    return register512::narrow(a, b);
  }
  template <class Q>
  [[gnu::always_inline]] static __m512i bytes(__m512i v, __m512i w, const range& to) {
    return register512::finish_or_saturate<Q>(v, w, to);
  }
  [[gnu::always_inline]] static __m512i ordered(__m512i x) {
    // The packs work within 128 bits and leave a0 b0 c0 d0 a1 b1 c1 d1 a2 …
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, x);
  }
  [[gnu::always_inline]] static bool lowest(__m512i v, __m512i w) {
    const __m512i least = _mm512_min_epi16(v, w);
    return _mm512_cmpeq_epi16_mask(least, _mm512_set1_epi16(-32768)) != 0;
  }
  template <int Part>
  [[gnu::always_inline]] static __m512 biased(__m512i x) {
    constexpr int first = 4 * Part;
    const __m512i at = _mm512_set4_epi32(first + 3, first + 2, first + 1, first);
    const __m512i bias = _mm512_set1_epi32(0x4B000000);
    __mmask64 lowest_bytes = 0x1111111111111111U;
#if defined(__clang__)
    __asm__("" : "+Yk"(lowest_bytes));  // else clang 19 makes a shuffle and a vpor of it
#endif
    return _mm512_castsi512_ps(_mm512_mask_shuffle_epi8(bias, lowest_bytes, x, at));
  }
};

}  // namespace ctq::kernels::simd

#endif
