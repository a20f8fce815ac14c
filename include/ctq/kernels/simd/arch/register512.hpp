// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/register256.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// A zmm register, as register128.
struct register512 : register_x86<register512, 64> {
  /// Keeps x in a register: g++ 12 would reload it at each use.
  [[gnu::always_inline]] static void keep(vec& x) { __asm__("" : "+v"(x)); }
  /// 16 bytes at p, p + stride, p + 2 * stride and p + 3 * stride.
  [[gnu::always_inline]] static vec load_parts(const std::byte* p, std::ptrdiff_t stride) {
    vec x = _mm512_castsi128_si512(register128::load(p));
    x = _mm512_inserti32x4(x, register128::load(p + stride), 1);
    x = _mm512_inserti32x4(x, register128::load(p + 2 * stride), 2);
    return _mm512_inserti32x4(x, register128::load(p + 3 * stride), 3);
  }
  [[gnu::always_inline]] static vec widen(const std::uint8_t* p) {
    return _mm512_cvtepu8_epi16(register256::load(p));
  }
  [[gnu::always_inline]] static vec widen(const std::int8_t* p) {
    return _mm512_cvtepi8_epi16(register256::load(p));
  }
  [[gnu::always_inline]] static vec widen32(const std::uint8_t* p) {
    return _mm512_cvtepu8_epi32(register128::load(p));
  }
  [[gnu::always_inline]] static vec widen32(const std::int8_t* p) {
    return _mm512_cvtepi8_epi32(register128::load(p));
  }
  [[gnu::always_inline]] static vec round(floats x) { return _mm512_cvtps_epi32(x); }

  [[gnu::always_inline]] static vec add_products(vec acc, vec a, vec b) {
#if defined(__clang__)
    return _mm512_add_epi32(acc, _mm512_madd_epi16(a, b));
#else
    __asm__("vpaddd %1, %0, %0" : "+v"(acc) : "v"(_mm512_madd_epi16(a, b)));  // as register256
    return acc;
#endif
  }
  [[gnu::always_inline]] static vec products8(vec a, vec b) { return _mm512_maddubs_epi16(a, b); }
  [[gnu::always_inline]] static vec multiply16(vec a, vec b) { return _mm512_mulhrs_epi16(a, b); }
  [[gnu::always_inline]] static vec add16(vec a, vec b) { return _mm512_adds_epi16(a, b); }
  [[gnu::always_inline]] static vec min16(vec a, vec b) { return _mm512_min_epi16(a, b); }
  [[gnu::always_inline]] static vec max16(vec a, vec b) { return _mm512_max_epi16(a, b); }
  template <class T>
  [[gnu::always_inline]] static vec min8(vec a, vec b) {
    return std::is_signed_v<T> ? _mm512_min_epi8(a, b) : _mm512_min_epu8(a, b);
  }
  template <class T>
  [[gnu::always_inline]] static vec max8(vec a, vec b) {
    return std::is_signed_v<T> ? _mm512_max_epi8(a, b) : _mm512_max_epu8(a, b);
  }
  [[gnu::always_inline]] static bool any_equal16(vec a, vec b) {
    return _mm512_cmpeq_epi16_mask(a, b) != 0;
  }

  [[gnu::always_inline]] static vec zip_low8(vec a, vec b) { return _mm512_unpacklo_epi8(a, b); }
  [[gnu::always_inline]] static vec zip_high8(vec a, vec b) { return _mm512_unpackhi_epi8(a, b); }
  [[gnu::always_inline]] static vec zip_low16(vec a, vec b) { return _mm512_unpacklo_epi16(a, b); }
  [[gnu::always_inline]] static vec zip_high16(vec a, vec b) { return _mm512_unpackhi_epi16(a, b); }
  [[gnu::always_inline]] static vec zip_low32(vec a, vec b) { return _mm512_unpacklo_epi32(a, b); }
  [[gnu::always_inline]] static vec zip_high32(vec a, vec b) { return _mm512_unpackhi_epi32(a, b); }
  /// The lower and the upper 16-bit lanes of each 128 bits interleaved.
  [[gnu::always_inline]] static vec zip_halves16(vec x) {
    const vec order = _mm512_set4_epi32(0x0F0E'0706, 0x0D0C'0504, 0x0B0A'0302, 0x0908'0100);
    return _mm512_shuffle_epi8(x, order);
  }

  [[gnu::always_inline]] static __m256i narrow(vec a) { return _mm512_cvtsepi32_epi16(a); }
  [[gnu::always_inline]] static vec narrow(vec a, vec b) { return _mm512_packs_epi32(a, b); }
  template <class Out>
  [[gnu::always_inline]] static vec pack(vec a, vec b) {
    return std::is_signed_v<Out> ? _mm512_packs_epi16(a, b) : _mm512_packus_epi16(a, b);
  }
  [[gnu::always_inline]] static vec in_order(vec bytes) {
    const vec order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, bytes);
  }

  using register_x86::finish;
  [[gnu::always_inline]] static __m256i finish(__m256i q, const bounds& to) {
    return register256::finish(q, _mm512_castsi512_si256(to.zero_point),
                               _mm512_castsi512_si256(to.lo), _mm512_castsi512_si256(to.hi));
  }
  /// Stores the first `count` of 16 bytes, and of 32. The 16-bit integers are in the range of Out,
  /// so the low bytes suffice.
  template <class Out>
  [[gnu::always_inline]] static void store(__m256i q, Out* out, int count) {
    register128::write(_mm256_cvtepi16_epi8(q), out, count);
  }
  template <class Out>
  [[gnu::always_inline]] static void store(vec q, Out* out, int count) {
    const __m256i bytes = _mm512_cvtepi16_epi8(q);
    if (count == 32) return register256::save(out, bytes);
    _mm256_mask_storeu_epi8(out, static_cast<__mmask32>((1U << count) - 1), bytes);
  }
  template <class Out>
  [[gnu::always_inline]] static void write(vec bytes, Out* out, int count) {
    if (count == 64) return save(out, bytes);
    _mm512_mask_storeu_epi8(out, (__mmask64{1} << count) - 1, bytes);
  }
  /// Stores the even and the odd 64-bit lanes separately.
  [[gnu::always_inline]] static void write_halves(vec bytes, void* even, void* odd) {
    bytes = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), bytes);
    register256::save(even, _mm512_castsi512_si256(bytes));
    register256::save(odd, _mm512_extracti64x4_epi64(bytes, 1));
  }
  [[gnu::always_inline]] static void narrow_store(vec x, void* out) {
    register128::save(out, _mm512_cvtepi32_epi8(x));
  }
  [[gnu::always_inline]] static void stream(void* p, vec x) {
    _mm512_stream_si512(static_cast<vec*>(p), x);
  }
};

}  // namespace ctq::kernels::simd

CTQ_END_AVX512

#endif
