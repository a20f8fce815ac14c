// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VBMI__)

#include <immintrin.h>

#include "ctq/kernels/simd/arch/avx512_warnings.hpp"

// Tables of 256 entries on AVX-512 with VBMI.

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// table[x] for each byte of x: four registers hold all 256 entries.
[[gnu::always_inline]] inline __m512i look_up_vbmi(const void* table, __m512i x) {
  const auto* const at = static_cast<const char*>(table);
  const __m512i low =
      _mm512_permutex2var_epi8(_mm512_loadu_si512(at), x, _mm512_loadu_si512(at + 64));
  const __m512i high =
      _mm512_permutex2var_epi8(_mm512_loadu_si512(at + 128), x, _mm512_loadu_si512(at + 192));
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);
}

/// The same for narrower registers.
[[gnu::always_inline]] inline __m256i look_up_vbmi(const void* table, __m256i x) {
  return _mm512_castsi512_si256(look_up_vbmi(table, _mm512_castsi256_si512(x)));
}
[[gnu::always_inline]] inline __m128i look_up_vbmi(const void* table, __m128i x) {
  return _mm512_castsi512_si128(look_up_vbmi(table, _mm512_castsi128_si512(x)));
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512

#endif
