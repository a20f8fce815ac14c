// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/register128.hpp"
#include "ctq/kernels/simd/arch/register256.hpp"
#include "ctq/kernels/simd/arch/register512.hpp"

// Bytes as the upper halves of 16-bit integers on x86, for any register width:
//
//   even, odd(x)   every other byte, times 256
//   joined(e, o)   the upper halves of both, as bytes
//   scaled(x, m)   (x * m + 2^14) >> 15 in each 16 bits
//   plus(x, y)     saturated

namespace ctq::kernels::simd {

#if defined(__SSE4_1__)

struct int16_register128 : register128 {
  [[gnu::always_inline]] static vec each(std::int16_t x) { return _mm_set1_epi16(x); }
  [[gnu::always_inline]] static vec even(vec x) { return _mm_slli_epi16(x, 8); }
  [[gnu::always_inline]] static vec odd(vec x) { return _mm_and_si128(x, each(-256)); }
  [[gnu::always_inline]] static vec joined(vec e, vec o) {
    return _mm_or_si128(_mm_srli_epi16(e, 8), odd(o));
  }
  [[gnu::always_inline]] static vec scaled(vec x, vec m) { return _mm_mulhrs_epi16(x, m); }
  [[gnu::always_inline]] static vec plus(vec x, vec y) { return _mm_adds_epi16(x, y); }
};

#endif
#if defined(__AVX2__)

struct int16_register256 : register256 {
  [[gnu::always_inline]] static vec each(std::int16_t x) { return _mm256_set1_epi16(x); }
  [[gnu::always_inline]] static vec even(vec x) { return _mm256_slli_epi16(x, 8); }
  [[gnu::always_inline]] static vec odd(vec x) { return _mm256_and_si256(x, each(-256)); }
  [[gnu::always_inline]] static vec joined(vec e, vec o) {
    return _mm256_or_si256(_mm256_srli_epi16(e, 8), odd(o));
  }
  [[gnu::always_inline]] static vec scaled(vec x, vec m) { return _mm256_mulhrs_epi16(x, m); }
  [[gnu::always_inline]] static vec plus(vec x, vec y) { return _mm256_adds_epi16(x, y); }
};

#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

struct int16_register512 : register512 {
  [[gnu::always_inline]] static vec each(std::int16_t x) { return _mm512_set1_epi16(x); }
  [[gnu::always_inline]] static vec even(vec x) { return _mm512_slli_epi16(x, 8); }
  [[gnu::always_inline]] static vec odd(vec x) { return _mm512_and_si512(x, each(-256)); }
  [[gnu::always_inline]] static vec joined(vec e, vec o) {
    return _mm512_ternarylogic_epi32(each(-256), o, _mm512_srli_epi16(e, 8), 0xCA);
  }
  [[gnu::always_inline]] static vec scaled(vec x, vec m) { return _mm512_mulhrs_epi16(x, m); }
  [[gnu::always_inline]] static vec plus(vec x, vec y) { return _mm512_adds_epi16(x, y); }
};

#endif

/// The registers of an instruction set; empty if it is not supported.
template <class Isa>
struct int16_registers {};

#if defined(__SSE4_1__)
template <class Isa>
requires(isa::includes<Isa, isa::sse4> && !isa::includes<Isa, isa::avx2>)  //
    struct int16_registers<Isa> : int16_register128 {
};
#endif
#if defined(__AVX2__)
template <class Isa>
requires(isa::includes<Isa, isa::avx2> && !isa::includes<Isa, isa::avx512>)  //
    struct int16_registers<Isa> : int16_register256 {
};
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <isa::includes<isa::avx512> Isa>
struct int16_registers<Isa> : int16_register512 {};
#endif

}  // namespace ctq::kernels::simd
