// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__SSE4_1__)

#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/kernels/compat.hpp"
#include "ctq/kernels/simd/arch/conversions.hpp"
#include "ctq/kernels/simd/arch/register128.hpp"

namespace ctq::kernels::simd {

template <>
struct conversions<xsimd::sse4_1> {
  [[gnu::always_inline]] static __m128i widen(const std::uint8_t* p) {
    return _mm_cvtepu8_epi32(load4(p));
  }
  [[gnu::always_inline]] static __m128i widen(const std::int8_t* p) {
    return _mm_cvtepi8_epi32(load4(p));
  }
  [[gnu::always_inline]] static __m128i round(__m128 x) { return _mm_cvtps_epi32(x); }

  [[gnu::always_inline]] static void narrow_store(__m128i x, void* out) {
    // Bytes 0, 4, 8, 12: the integers fit in a byte, so the lowest byte suffices.
    const __m128i low = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const int bytes = _mm_cvtsi128_si32(_mm_shuffle_epi8(x, low));
    std::memcpy(out, &bytes, sizeof bytes);
  }
  template <class Q>
  [[gnu::always_inline]] static __m128i narrow(__m128i a, __m128i b, __m128i c, __m128i d) {
    const __m128i ab = _mm_packs_epi32(a, b);
    const __m128i cd = _mm_packs_epi32(c, d);
    return std::is_signed_v<Q> ? _mm_packs_epi16(ab, cd) : _mm_packus_epi16(ab, cd);
  }

  [[gnu::always_inline]] static void stream(void* p, __m128i x) {
    _mm_stream_si128(static_cast<__m128i*>(p), x);
  }
  [[gnu::always_inline]] static void stream(void* p, __m128 x) { stream(p, _mm_castps_si128(x)); }
  [[gnu::always_inline]] static void stream_fence() { _mm_sfence(); }

  using range = register128::bounds;
  [[gnu::always_inline]] static __m128i words(__m128i a, __m128i b) {
    return register128::narrow(a, b);
  }
  template <class Q>
  [[gnu::always_inline]] static __m128i bytes(__m128i v, __m128i w, const range& to) {
    return register128::finish<Q>(v, w, to);
  }
  [[gnu::always_inline]] static __m128i ordered(__m128i x) { return x; }
  [[gnu::always_inline]] static bool lowest(__m128i v, __m128i w) {
    const __m128i least = _mm_min_epi16(v, w);
    return _mm_movemask_epi8(_mm_cmpeq_epi16(least, _mm_set1_epi16(-32768))) != 0;
  }
  template <int Part>
  [[gnu::always_inline]] static __m128 biased(__m128i x) {
    const __m128i zero = _mm_setzero_si128();
    const __m128i high = _mm_set1_epi16(0x4B00);
    const __m128i half = Part < 2 ? _mm_unpacklo_epi8(x, zero) : _mm_unpackhi_epi8(x, zero);
    return _mm_castsi128_ps(Part % 2 == 0 ? _mm_unpacklo_epi16(half, high)
                                          : _mm_unpackhi_epi16(half, high));
  }

 private:
  [[gnu::always_inline]] static __m128i load4(const void* p) {
    int bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    return _mm_cvtsi32_si128(bytes);
  }
};

}  // namespace ctq::kernels::simd

#endif
