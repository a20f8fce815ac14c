// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

#include "ctq/kernels/simd/arch/register256.hpp"

// g++ 12 warns about undefined operands inside its own AVX-512 intrinsics (false positive, GCC bug
// 105593, fixed in 13).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

namespace ctq::kernels::simd {

/// A zmm register, as register128.
struct register512 {
  using vec = __m512i;
  static constexpr int lanes = 16;

  [[gnu::always_inline]] static vec load(const void* p) { return _mm512_loadu_si512(p); }
  [[gnu::always_inline]] static void save(void* p, vec x) { _mm512_storeu_si512(p, x); }
  /// Keeps x in a register: g++ 12 would reload it at each use.
  [[gnu::always_inline]] static void keep(vec& x) { __asm__("" : "+v"(x)); }
  [[gnu::always_inline]] static vec widen(const std::uint8_t* p) {
    return _mm512_cvtepu8_epi16(register256::load(p));
  }
  [[gnu::always_inline]] static vec widen(const std::int8_t* p) {
    return _mm512_cvtepi8_epi16(register256::load(p));
  }
  [[gnu::always_inline]] static vec flip_signs(vec x) {
    return _mm512_xor_si512(x, _mm512_set1_epi8(-128));
  }
  [[gnu::always_inline]] static vec broadcast(const void* p) {
    std::int32_t word;
    std::memcpy(&word, p, sizeof word);
    return _mm512_set1_epi32(word);
  }
  [[gnu::always_inline]] static vec add_products(vec acc, vec a, vec b) {
#if defined(__clang__)
    return _mm512_add_epi32(acc, _mm512_madd_epi16(a, b));
#else
    __asm__("vpaddd %1, %0, %0" : "+v"(acc) : "v"(_mm512_madd_epi16(a, b)));  // as register256
    return acc;
#endif
  }

  [[gnu::always_inline]] static vec zip_low8(vec a, vec b) { return _mm512_unpacklo_epi8(a, b); }
  [[gnu::always_inline]] static vec zip_high8(vec a, vec b) { return _mm512_unpackhi_epi8(a, b); }
  [[gnu::always_inline]] static vec zip_low16(vec a, vec b) { return _mm512_unpacklo_epi16(a, b); }
  [[gnu::always_inline]] static vec zip_high16(vec a, vec b) { return _mm512_unpackhi_epi16(a, b); }
  /// The lower and the upper words of each 128 bits interleaved.
  [[gnu::always_inline]] static vec zip_halves16(vec x) {
    const vec order = _mm512_set4_epi32(0x0F0E'0706, 0x0D0C'0504, 0x0B0A'0302, 0x0908'0100);
    return _mm512_shuffle_epi8(x, order);
  }

  [[gnu::always_inline]] static vec scale(vec acc, const float* multiplier) {
    return _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(acc), _mm512_loadu_ps(multiplier)));
  }

  [[gnu::always_inline]] static __m256i narrow(vec a) { return _mm512_cvtsepi32_epi16(a); }
  [[gnu::always_inline]] static vec narrow(vec a, vec b) { return _mm512_packs_epi32(a, b); }

  struct bounds {
    vec zero_point, lo, hi, lo8, hi8;
    bool whole;  // the range of a byte, to which packing saturates

    [[gnu::always_inline]] explicit bounds(const output_range& to)
        : zero_point(_mm512_set1_epi16(static_cast<short>(to.zero_point))),
          lo(_mm512_set1_epi16(static_cast<short>(to.lo))),
          hi(_mm512_set1_epi16(static_cast<short>(to.hi))),
          lo8(_mm512_set1_epi8(static_cast<char>(to.lo))),
          hi8(_mm512_set1_epi8(static_cast<char>(to.hi))),
          whole(to.hi - to.lo == 255) {}
  };
  [[gnu::always_inline]] static __m256i finish(__m256i q, const bounds& to) {
    q = _mm256_adds_epi16(q, _mm512_castsi512_si256(to.zero_point));
    q = _mm256_max_epi16(q, _mm512_castsi512_si256(to.lo));
    return _mm256_min_epi16(q, _mm512_castsi512_si256(to.hi));
  }
  [[gnu::always_inline]] static vec finish(vec q, const bounds& to) {
    return _mm512_min_epi16(_mm512_max_epi16(_mm512_adds_epi16(q, to.zero_point), to.lo), to.hi);
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

  /// The first `count` of 16 and of 32 bytes. The 16-bit values are in the range of Out, so the low
  /// bytes suffice.
  template <class Out>
  [[gnu::always_inline]] static void store(__m256i q, Out* out, int count) {
    const __m128i bytes = _mm256_cvtepi16_epi8(q);
    if (count == 16) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
    } else {
      _mm_mask_storeu_epi8(out, static_cast<__mmask16>((1U << count) - 1), bytes);
    }
  }
  template <class Out>
  [[gnu::always_inline]] static void store(vec q, Out* out, int count) {
    const __m256i bytes = _mm512_cvtepi16_epi8(q);
    if (count == 32) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), bytes);
    } else {
      _mm256_mask_storeu_epi8(out, static_cast<__mmask32>((1U << count) - 1), bytes);
    }
  }
  template <class Out>
  [[gnu::always_inline]] static void write(vec bytes, Out* out, int count) {
    if (count == 64) {
      save(out, bytes);
    } else {
      _mm512_mask_storeu_epi8(out, (__mmask64{1} << count) - 1, bytes);
    }
  }
  /// Stores the even and the odd 64-bit lanes separately.
  template <class Out>
  [[gnu::always_inline]] static void write_halves(vec bytes, Out* even, Out* odd) {
    bytes = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), bytes);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(even), _mm512_castsi512_si256(bytes));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(odd), _mm512_extracti64x4_epi64(bytes, 1));
  }

  /// From four channels of each of four pixels in every 128 bits to four contiguous pixels.
  [[gnu::always_inline]] static vec in_pixels(vec bytes) {
    const vec order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, bytes);
  }

 private:
  template <class Out>
  [[gnu::always_inline]] static vec saturate(vec q0, vec q1, const bounds& to) {
    q0 = _mm512_adds_epi16(q0, to.zero_point);
    q1 = _mm512_adds_epi16(q1, to.zero_point);
    return std::is_signed_v<Out> ? _mm512_packs_epi16(q0, q1) : _mm512_packus_epi16(q0, q1);
  }
  template <class Out>
  [[gnu::always_inline]] static vec clamp(vec q, const bounds& to) {
    return std::is_signed_v<Out> ? _mm512_min_epi8(_mm512_max_epi8(q, to.lo8), to.hi8)
                                 : _mm512_min_epu8(_mm512_max_epu8(q, to.lo8), to.hi8);
  }
};

}  // namespace ctq::kernels::simd

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
