// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace ctq::kernels::simd {

/// Rows of Width bytes (64, 32 or 16) that together fill a zmm. Only the first `count` bytes of the
/// first `used` rows are accessed.
template <int Width>
struct rows512;

}  // namespace ctq::kernels::simd

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

#include <cstddef>
#include <cstdint>

#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/intrinsics.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

template <int Width>
struct rows512 {
  static constexpr int rows = 64 / Width;

  std::ptrdiff_t stride;
  int count, used;

  [[nodiscard, gnu::always_inline]] __m512i load(const void* p) const {
    if constexpr (Width == 64) {
      return _mm512_maskz_loadu_epi8(mask64(), p);
    } else if constexpr (Width == 32) {
      return _mm512_inserti64x4(_mm512_castsi256_si512(row256(p)), row256(at(p, present(1))), 1);
    } else {
      static_assert(Width == 16);
      __m512i x = _mm512_castsi128_si512(row128(p));
      x = _mm512_inserti32x4(x, row128(at(p, present(1))), 1);
      x = _mm512_inserti32x4(x, row128(at(p, present(2))), 2);
      return _mm512_inserti32x4(x, row128(at(p, present(3))), 3);
    }
  }
  [[gnu::always_inline]] void store(void* p, __m512i x) const {
    if constexpr (Width == 64) {
      _mm512_mask_storeu_epi8(p, mask64(), x);
    } else if constexpr (Width == 32) {
      row256(p, _mm512_castsi512_si256(x));
      if (used > 1) row256(at(p, 1), _mm512_extracti64x4_epi64(x, 1));
    } else {
      row128(p, _mm512_castsi512_si128(x));
      if (used > 1) row128(at(p, 1), _mm512_extracti32x4_epi32(x, 1));
      if (used > 2) row128(at(p, 2), _mm512_extracti32x4_epi32(x, 2));
      if (used > 3) row128(at(p, 3), _mm512_extracti32x4_epi32(x, 3));
    }
  }

 private:
  /// The first row is read again in place of an unused one.
  [[gnu::always_inline]] int present(int row) const { return row < used ? row : 0; }
  [[gnu::always_inline]] const void* at(const void* p, int row) const {
    return static_cast<const char*>(p) + row * stride;
  }
  [[gnu::always_inline]] void* at(void* p, int row) const {
    return static_cast<char*>(p) + row * stride;
  }
  [[gnu::always_inline]] __mmask64 mask64() const {
    return count >= 64 ? ~__mmask64{} : (__mmask64{1} << count) - 1;
  }
  [[gnu::always_inline]] __m256i row256(const void* p) const {
    if (count >= 32) return _mm256_loadu_si256(static_cast<const __m256i*>(p));
    return _mm256_maskz_loadu_epi8(static_cast<__mmask32>(mask64()), p);
  }
  [[gnu::always_inline]] void row256(void* p, __m256i x) const {
    if (count >= 32) return _mm256_storeu_si256(static_cast<__m256i*>(p), x);
    _mm256_mask_storeu_epi8(p, static_cast<__mmask32>(mask64()), x);
  }
  [[gnu::always_inline]] __m128i row128(const void* p) const {
    return _mm_maskz_loadu_epi8(static_cast<__mmask16>(mask64()), p);
  }
  [[gnu::always_inline]] void row128(void* p, __m128i x) const {
    _mm_mask_storeu_epi8(p, static_cast<__mmask16>(mask64()), x);
  }
};

}  // namespace ctq::kernels::simd

CTQ_END_AVX512

#endif
