// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__SSE4_1__)

#include "ctq/kernels/simd/arch/intrinsics.hpp"
#include "ctq/kernels/simd/arch/register_sse2.hpp"

namespace ctq::kernels::simd {

/// An xmm register with SSE4.1, as register_sse2.
struct register128 : register_xmm<register128> {
  [[gnu::always_inline]] static vec widen(const std::uint8_t* p) {
    return _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const vec*>(p)));
  }
  [[gnu::always_inline]] static vec widen(const std::int8_t* p) {
    return _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const vec*>(p)));
  }
  [[gnu::always_inline]] static vec widen32(const std::uint8_t* p) {
    return _mm_cvtepu8_epi32(_mm_loadu_si32(p));
  }
  [[gnu::always_inline]] static vec widen32(const std::int8_t* p) {
    return _mm_cvtepi8_epi32(_mm_loadu_si32(p));
  }

  [[gnu::always_inline]] static vec products8(vec a, vec b) { return _mm_maddubs_epi16(a, b); }
  [[gnu::always_inline]] static vec multiply16(vec a, vec b) { return _mm_mulhrs_epi16(a, b); }
  template <class T>
  [[gnu::always_inline]] static vec min8(vec a, vec b) {
    return std::is_signed_v<T> ? _mm_min_epi8(a, b) : _mm_min_epu8(a, b);
  }
  template <class T>
  [[gnu::always_inline]] static vec max8(vec a, vec b) {
    return std::is_signed_v<T> ? _mm_max_epi8(a, b) : _mm_max_epu8(a, b);
  }
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  template <class Out>
  [[gnu::always_inline]] static void write(vec bytes, Out* out, int count) {
    if (count == 16) return save(out, bytes);
    _mm_mask_storeu_epi8(out, static_cast<__mmask16>((1U << count) - 1), bytes);
  }
#endif
  [[gnu::always_inline]] static void narrow_store(vec x, void* out) {
    const vec low = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    _mm_storeu_si32(out, _mm_shuffle_epi8(x, low));
  }
};

}  // namespace ctq::kernels::simd

#endif
