// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/kernels/simd/arch/register128.hpp"
#include "ctq/kernels/simd/arch/register256.hpp"
#include "ctq/kernels/simd/arch/register512.hpp"

// Four-bit values on x86, for any register width: unpacking from bytes, and sums of products with
// vpmaddubsw, which every instruction set has. It is exact here: sums of two products of at most 15
// * 128 fit in 16 bits, and so do eight of these sums.

namespace ctq::kernels::simd {

#if defined(__SSE4_1__)

struct int4_register128 : register128 {
  /// The low half of each byte.
  [[gnu::always_inline]] static vec low(vec x) { return _mm_and_si128(x, _mm_set1_epi8(15)); }
  [[gnu::always_inline]] static vec shifted(vec x) { return _mm_srli_epi16(x, 4); }
  [[gnu::always_inline]] static vec add_pairs(vec sums, vec values, vec activations) {
    return _mm_add_epi16(sums, _mm_maddubs_epi16(values, activations));
  }
  [[gnu::always_inline]] static vec add_words(vec acc, vec sums) {
    return add_products(acc, sums, _mm_set1_epi16(1));
  }
};

#endif
#if defined(__AVX2__)

struct int4_register256 : register256 {
  /// Keeps x in a register: see register512.
  [[gnu::always_inline]] static void keep(vec& x) { __asm__("" : "+x"(x)); }
  /// The low and the high half of each byte.
  [[gnu::always_inline]] static vec low(vec x) { return _mm256_and_si256(x, _mm256_set1_epi8(15)); }
  [[gnu::always_inline]] static vec high(vec x) {
    return _mm256_and_si256(x, _mm256_set1_epi8(-16));
  }
  [[gnu::always_inline]] static vec shifted(vec x) { return _mm256_srli_epi16(x, 4); }
  [[gnu::always_inline]] static vec add_pairs(vec sums, vec values, vec activations) {
    return _mm256_add_epi16(sums, _mm256_maddubs_epi16(values, activations));
  }
  [[gnu::always_inline]] static vec add_words(vec acc, vec sums) {
    return add_products(acc, sums, _mm256_set1_epi16(1));
  }
  [[gnu::always_inline]] static vec plus(vec a, vec b) { return _mm256_add_epi32(a, b); }
  [[gnu::always_inline]] static vec sixteenth(vec x) { return _mm256_srai_epi32(x, 4); }
};

#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

// As in register512.hpp: GCC bug 105593.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

struct int4_register512 : register512 {
  /// The low and the high half of each byte.
  [[gnu::always_inline]] static vec low(vec x) { return _mm512_and_si512(x, _mm512_set1_epi8(15)); }
  [[gnu::always_inline]] static vec high(vec x) {
    return _mm512_and_si512(x, _mm512_set1_epi8(-16));
  }
  [[gnu::always_inline]] static vec shifted(vec x) { return _mm512_srli_epi16(x, 4); }
  [[gnu::always_inline]] static vec add_pairs(vec sums, vec values, vec activations) {
    return _mm512_add_epi16(sums, _mm512_maddubs_epi16(values, activations));
  }
  [[gnu::always_inline]] static vec add_words(vec acc, vec sums) {
    return add_products(acc, sums, _mm512_set1_epi16(1));
  }
  [[gnu::always_inline]] static vec plus(vec a, vec b) { return _mm512_add_epi32(a, b); }
  [[gnu::always_inline]] static vec sixteenth(vec x) { return _mm512_srai_epi32(x, 4); }
};

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif

}  // namespace ctq::kernels::simd
