// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__AVX2__)

#include "ctq/kernels/simd/arch/register128.hpp"

namespace ctq::kernels::simd {

/// A ymm register, as register128. Packing works within each 128 bits.
struct register256 {
  using vec = __m256i;
  static constexpr int lanes = 8;

  [[gnu::always_inline]] static vec load(const void* p) {
    return _mm256_loadu_si256(static_cast<const vec*>(p));
  }
  [[gnu::always_inline]] static void save(void* p, vec x) {
    _mm256_storeu_si256(static_cast<vec*>(p), x);
  }
  /// Loads the lower and the upper half from different addresses.
  [[gnu::always_inline]] static vec load_halves(const void* low, const void* high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(register128::load(low)),
                                   register128::load(high), 1);
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
  [[gnu::always_inline]] static vec flip_signs(vec x) {
    return _mm256_xor_si256(x, _mm256_set1_epi8(-128));
  }
  [[gnu::always_inline]] static vec broadcast(const void* p) {
    std::int32_t word;
    std::memcpy(&word, p, sizeof word);
    return _mm256_set1_epi32(word);
  }
  /// Inline assembly for the sum on g++ 12, which copies each one to another register (256^3 on
  /// AVX2: 209 instead of 190 us).
  [[gnu::always_inline]] static vec add_products(vec acc, vec a, vec b) {
#if defined(__clang__)
    return _mm256_add_epi32(acc, _mm256_madd_epi16(a, b));
#else
    __asm__("vpaddd %1, %0, %0" : "+x"(acc) : "x"(_mm256_madd_epi16(a, b)));
    return acc;
#endif
  }

  [[gnu::always_inline]] static vec zip_low8(vec a, vec b) { return _mm256_unpacklo_epi8(a, b); }
  [[gnu::always_inline]] static vec zip_high8(vec a, vec b) { return _mm256_unpackhi_epi8(a, b); }
  [[gnu::always_inline]] static vec zip_low16(vec a, vec b) { return _mm256_unpacklo_epi16(a, b); }
  [[gnu::always_inline]] static vec zip_high16(vec a, vec b) { return _mm256_unpackhi_epi16(a, b); }
  /// The lower and the upper words of each 128 bits interleaved.
  [[gnu::always_inline]] static vec zip_halves16(vec x) {
    const vec order = _mm256_setr_epi64x(0x0B0A'0302'0908'0100, 0x0F0E'0706'0D0C'0504,
                                         0x0B0A'0302'0908'0100, 0x0F0E'0706'0D0C'0504);
    return _mm256_shuffle_epi8(x, order);
  }

  [[gnu::always_inline]] static vec scale(vec acc, const float* multiplier) {
    return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(acc), _mm256_loadu_ps(multiplier)));
  }

  [[gnu::always_inline]] static __m128i narrow(vec a) {
    return _mm_packs_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  }
  [[gnu::always_inline]] static vec narrow(vec a, vec b) { return _mm256_packs_epi32(a, b); }

  struct bounds {
    vec zero_point, lo, hi, lo8, hi8;
    bool whole;  // the range of a byte, to which packing saturates

    [[gnu::always_inline]] explicit bounds(const output_range& to)
        : zero_point(_mm256_set1_epi16(static_cast<short>(to.zero_point))),
          lo(_mm256_set1_epi16(static_cast<short>(to.lo))),
          hi(_mm256_set1_epi16(static_cast<short>(to.hi))),
          lo8(_mm256_set1_epi8(static_cast<char>(to.lo))),
          hi8(_mm256_set1_epi8(static_cast<char>(to.hi))),
          whole(to.hi - to.lo == 255) {}
  };
  [[gnu::always_inline]] static __m128i finish(__m128i q, const bounds& to) {
    q = _mm_adds_epi16(q, _mm256_castsi256_si128(to.zero_point));
    q = _mm_max_epi16(q, _mm256_castsi256_si128(to.lo));
    return _mm_min_epi16(q, _mm256_castsi256_si128(to.hi));
  }
  [[gnu::always_inline]] static vec finish(vec q, const bounds& to) {
    return _mm256_min_epi16(_mm256_max_epi16(_mm256_adds_epi16(q, to.zero_point), to.lo), to.hi);
  }
  template <class Out>
  [[gnu::always_inline]] static vec finish(vec q0, vec q1, const bounds& to) {
    return clamp<Out>(saturate<Out>(q0, q1, to), to);
  }
  /// The same, without the clamp if the range is that of the type, for loops where a branch is
  /// cheap.
  template <class Out>
  [[gnu::always_inline]] static vec finish_or_saturate(vec q0, vec q1, const bounds& to) {
    const vec q = saturate<Out>(q0, q1, to);
    return to.whole ? q : clamp<Out>(q, to);
  }

  /// The first `count` of 8, 16 and 32 bytes.
  template <class Out>
  [[gnu::always_inline]] static void store(__m128i q, Out* out, int count) {
    register128::store(q, out, count);
  }
  template <class Out>
  [[gnu::always_inline]] static void store(vec q, Out* out, int count) {
    register128::store(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1), out, count);
  }
  template <class Out>
  [[gnu::always_inline]] static void write(vec bytes, Out* out, int count) {
    if (count == 32) {
      _mm256_storeu_si256(reinterpret_cast<vec*>(out), bytes);
    } else {
      alignas(32) Out kept[32];
      _mm256_store_si256(reinterpret_cast<vec*>(kept), bytes);
      std::memcpy(out, kept, static_cast<std::size_t>(count));
    }
  }

  /// From four channels of each of four pixels in every 128 bits to four contiguous pixels.
  [[gnu::always_inline]] static vec in_pixels(vec bytes) {
    return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  }

 private:
  template <class Out>
  [[gnu::always_inline]] static vec saturate(vec q0, vec q1, const bounds& to) {
    q0 = _mm256_adds_epi16(q0, to.zero_point);
    q1 = _mm256_adds_epi16(q1, to.zero_point);
    return std::is_signed_v<Out> ? _mm256_packs_epi16(q0, q1) : _mm256_packus_epi16(q0, q1);
  }
  template <class Out>
  [[gnu::always_inline]] static vec clamp(vec q, const bounds& to) {
    return std::is_signed_v<Out> ? _mm256_min_epi8(_mm256_max_epi8(q, to.lo8), to.hi8)
                                 : _mm256_min_epu8(_mm256_max_epu8(q, to.lo8), to.hi8);
  }
};

}  // namespace ctq::kernels::simd

#endif
