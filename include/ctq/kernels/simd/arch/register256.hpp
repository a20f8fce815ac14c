// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__AVX2__)

#include "ctq/kernels/simd/arch/register128.hpp"

namespace ctq::kernels::simd {

/// A ymm register, as register128.
struct register256 : register_x86<register256, 32> {
  /// Loads the lower and the upper half from different addresses.
  [[gnu::always_inline]] static vec load_halves(const void* low, const void* high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(register128::load(low)),
                                   register128::load(high), 1);
  }
  /// 16 bytes at p and at p + stride.
  [[gnu::always_inline]] static vec load_parts(const std::byte* p, std::ptrdiff_t stride) {
    return load_halves(p, p + stride);
  }
  [[gnu::always_inline]] static void save_halves(vec x, void* low, void* high) {
    register128::save(low, _mm256_castsi256_si128(x));
    register128::save(high, _mm256_extracti128_si256(x, 1));
  }
  [[gnu::always_inline]] static vec widen(const std::uint8_t* p) {
    return _mm256_cvtepu8_epi16(register128::load(p));
  }
  [[gnu::always_inline]] static vec widen(const std::int8_t* p) {
    return _mm256_cvtepi8_epi16(register128::load(p));
  }
  [[gnu::always_inline]] static vec widen32(const std::uint8_t* p) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static vec widen32(const std::int8_t* p) {
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static vec round(floats x) { return _mm256_cvtps_epi32(x); }

  /// The addition is inline assembly on g++, since g++ 12 copies each sum to another register
  /// (256^3 on AVX2: 209 instead of 190 us).
  [[gnu::always_inline]] static vec add_products(vec acc, vec a, vec b) {
#if defined(__clang__)
    return _mm256_add_epi32(acc, _mm256_madd_epi16(a, b));
#else
    __asm__("vpaddd %1, %0, %0" : "+x"(acc) : "x"(_mm256_madd_epi16(a, b)));
    return acc;
#endif
  }
  [[gnu::always_inline]] static vec products8(vec a, vec b) { return _mm256_maddubs_epi16(a, b); }
  [[gnu::always_inline]] static vec multiply16(vec a, vec b) { return _mm256_mulhrs_epi16(a, b); }
  [[gnu::always_inline]] static vec add16(vec a, vec b) { return _mm256_adds_epi16(a, b); }
  [[gnu::always_inline]] static vec min16(vec a, vec b) { return _mm256_min_epi16(a, b); }
  [[gnu::always_inline]] static vec max16(vec a, vec b) { return _mm256_max_epi16(a, b); }
  template <class T>
  [[gnu::always_inline]] static vec min8(vec a, vec b) {
    return std::is_signed_v<T> ? _mm256_min_epi8(a, b) : _mm256_min_epu8(a, b);
  }
  template <class T>
  [[gnu::always_inline]] static vec max8(vec a, vec b) {
    return std::is_signed_v<T> ? _mm256_max_epi8(a, b) : _mm256_max_epu8(a, b);
  }
  [[gnu::always_inline]] static bool any_equal16(vec a, vec b) {
    return _mm256_movemask_epi8(_mm256_cmpeq_epi16(a, b)) != 0;
  }

  [[gnu::always_inline]] static vec zip_low8(vec a, vec b) { return _mm256_unpacklo_epi8(a, b); }
  [[gnu::always_inline]] static vec zip_high8(vec a, vec b) { return _mm256_unpackhi_epi8(a, b); }
  [[gnu::always_inline]] static vec zip_low16(vec a, vec b) { return _mm256_unpacklo_epi16(a, b); }
  [[gnu::always_inline]] static vec zip_high16(vec a, vec b) { return _mm256_unpackhi_epi16(a, b); }
  [[gnu::always_inline]] static vec zip_low32(vec a, vec b) { return _mm256_unpacklo_epi32(a, b); }
  [[gnu::always_inline]] static vec zip_high32(vec a, vec b) { return _mm256_unpackhi_epi32(a, b); }
  /// The lower and the upper 16-bit lanes of each 128 bits interleaved.
  [[gnu::always_inline]] static vec zip_halves16(vec x) {
    const vec order = _mm256_setr_epi64x(0x0B0A'0302'0908'0100, 0x0F0E'0706'0D0C'0504,
                                         0x0B0A'0302'0908'0100, 0x0F0E'0706'0D0C'0504);
    return _mm256_shuffle_epi8(x, order);
  }

  [[gnu::always_inline]] static __m128i narrow(vec a) {
    return _mm_packs_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  }
  [[gnu::always_inline]] static vec narrow(vec a, vec b) { return _mm256_packs_epi32(a, b); }
  template <class Out>
  [[gnu::always_inline]] static vec pack(vec a, vec b) {
    return std::is_signed_v<Out> ? _mm256_packs_epi16(a, b) : _mm256_packus_epi16(a, b);
  }
  [[gnu::always_inline]] static vec in_order(vec bytes) {
    return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }

  using register_x86::finish;
  [[gnu::always_inline]] static __m128i finish(__m128i q, const bounds& to) {
    return register128::finish(q, _mm256_castsi256_si128(to.zero_point),
                               _mm256_castsi256_si128(to.lo), _mm256_castsi256_si128(to.hi));
  }
  /// Stores the first `count` of 8 bytes, and of 16.
  template <class Out>
  [[gnu::always_inline]] static void store(__m128i q, Out* out, int count) {
    register128::store(q, out, count);
  }
  template <class Out>
  [[gnu::always_inline]] static void store(vec q, Out* out, int count) {
    register128::store(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1), out, count);
  }
  [[gnu::always_inline]] static void narrow_store(vec x, void* out) {
    const __m128i low = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m128i a = _mm_shuffle_epi8(_mm256_castsi256_si128(x), low);
    const __m128i b = _mm_shuffle_epi8(_mm256_extracti128_si256(x, 1), low);
    _mm_storel_epi64(static_cast<__m128i*>(out), _mm_unpacklo_epi32(a, b));
  }
  [[gnu::always_inline]] static void stream(void* p, vec x) {
    _mm256_stream_si256(static_cast<vec*>(p), x);
  }
};

}  // namespace ctq::kernels::simd

#endif
