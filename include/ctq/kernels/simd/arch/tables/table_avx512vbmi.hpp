// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VBMI__)

#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/intrinsics.hpp"

// Tables of 256 entries on AVX-512 with VBMI.

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// A table in four registers.
struct vbmi_table {
  __m512i quarter[4];

  [[gnu::always_inline]] explicit vbmi_table(const void* table) {
    const auto* const at = static_cast<const char*>(table);
    for (int i = 0; i < 4; ++i) quarter[i] = _mm512_loadu_si512(at + 64 * i);
  }
  /// The entry of each byte of x.
  [[nodiscard, gnu::always_inline]] __m512i operator[](__m512i x) const {
    const __m512i low = _mm512_permutex2var_epi8(quarter[0], x, quarter[1]);
    const __m512i high = _mm512_permutex2var_epi8(quarter[2], x, quarter[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);
  }
  /// The same for narrower registers.
  [[nodiscard, gnu::always_inline]] __m256i operator[](__m256i x) const {
    return _mm512_castsi512_si256((*this)[_mm512_castsi256_si512(x)]);
  }
  [[nodiscard, gnu::always_inline]] __m128i operator[](__m128i x) const {
    return _mm512_castsi512_si128((*this)[_mm512_castsi128_si512(x)]);
  }
};

}  // namespace ctq::kernels::simd

CTQ_END_AVX512

#endif
