// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

#include <cstdint>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/intrinsics.hpp"
#include "ctq/kernels/simd/elementwise/fixed_point_sum.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// fixed_point_sum of 64 pairs of bytes at once.
template <isa::includes<isa::avx512> Isa>
class fixed_point_sum_lanes<Isa> {
 public:
  [[gnu::always_inline]] explicit fixed_point_sum_lanes(const fixed_point_sum& s)
      : upper_(pair(s.multiplier_a >> 8, s.multiplier_b >> 8)),
        lower_(pair(s.multiplier_a & 255, s.multiplier_b & 255)),
        start_(_mm512_set1_epi32(s.start)),
        safe_(_mm512_set1_epi32(s.safe_bits())),
        shift_(_mm_cvtsi32_si128(s.fraction - 16)) {}

  /// q of each pair, saturated to uint8. Sets `near_tie` if any sum is close to a tie, so that its
  /// q may be wrong.
  [[nodiscard, gnu::always_inline]] __m512i operator()(__m512i a, __m512i b, bool& near_tie) const {
    const __m512i zero = _mm512_setzero_si512();
    const __m512i low = _mm512_unpacklo_epi8(a, b);
    const __m512i high = _mm512_unpackhi_epi8(a, b);
    const __m512i s[] = {
        sums(_mm512_unpacklo_epi8(low, zero)), sums(_mm512_unpackhi_epi8(low, zero)),
        sums(_mm512_unpacklo_epi8(high, zero)), sums(_mm512_unpackhi_epi8(high, zero))};
    near_tie = (unsafe(s[0]) | unsafe(s[1]) | unsafe(s[2]) | unsafe(s[3])) != 0;
    return _mm512_packus_epi16(words(s[0], s[1]), words(s[2], s[3]));
  }

 private:
  [[gnu::always_inline]] static __m512i pair(std::int32_t a, std::int32_t b) {
    return _mm512_set1_epi32(a | b << 16);
  }
  /// ab: a and b as 16-bit integers in each lane.
  [[gnu::always_inline]] __m512i sums(__m512i ab) const {
    const __m512i upper = add_products(start_, ab, upper_);
    return add_products(_mm512_slli_epi32(upper, fixed_point_sum::start_shift), ab, lower_);
  }
  [[gnu::always_inline]] static __m512i add_products(__m512i acc, __m512i a, __m512i b) {
#if defined(__AVX512VNNI__)
    if constexpr (isa::includes<Isa, isa::avx512vnni>) {
#if defined(__clang__)
      return _mm512_dpwssd_epi32(acc, a, b);
#else  // inline assembly on g++ 12: see avxvnni_instructions
      __asm__("vpdpwssd %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b));
      return acc;
#endif
    }
#endif
    return _mm512_add_epi32(acc, _mm512_madd_epi16(a, b));
  }
  [[gnu::always_inline]] unsigned unsafe(__m512i sum) const {
    return _mm512_testn_epi32_mask(sum, safe_);
  }
  /// The integer parts of two registers of sums, 128 bits of each in turn.
  [[gnu::always_inline]] __m512i words(__m512i s, __m512i t) const {
    const __m512i upper_halves = _mm512_set_epi64(  // 1 3 5 7 of s, then of t
        0x003F'003D'003B'0039, 0x001F'001D'001B'0019, 0x0037'0035'0033'0031, 0x0017'0015'0013'0011,
        0x002F'002D'002B'0029, 0x000F'000D'000B'0009, 0x0027'0025'0023'0021, 0x0007'0005'0003'0001);
    return _mm512_sra_epi16(_mm512_permutex2var_epi16(s, upper_halves, t), shift_);
  }

  __m512i upper_, lower_, start_, safe_;
  __m128i shift_;
};

}  // namespace ctq::kernels::simd

CTQ_END_AVX512

#endif
