// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__SSE4_1__)

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/kernels/integer_arithmetic.hpp"

// The operations of the int8 kernels on an xmm register; register256.hpp and register512.hpp have
// the same interface. Intrinsics, because xsimd has no widening multiply-add and no saturating
// narrowing, which dominate here.

namespace ctq::kernels::simd {

struct register128 {
  using vec = __m128i;
  using words = __m128i;           // 16-bit integers made from one vec or from two
  static constexpr int lanes = 4;  // of 32 bits

  [[gnu::always_inline]] static vec load(const void* p) {
    return _mm_loadu_si128(static_cast<const vec*>(p));
  }
  [[gnu::always_inline]] static void save(void* p, vec x) {
    _mm_storeu_si128(static_cast<vec*>(p), x);
  }
  /// 2 * lanes bytes as 16-bit integers.
  [[gnu::always_inline]] static vec widen(const std::uint8_t* p) {
    return _mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  [[gnu::always_inline]] static vec widen(const std::int8_t* p) {
    return _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
  }
  /// x + 128 in each byte, which converts int8 to uint8.
  [[gnu::always_inline]] static vec flip_signs(vec x) {
    return _mm_xor_si128(x, _mm_set1_epi8(-128));
  }
  /// Four bytes, broadcast to each lane.
  [[gnu::always_inline]] static vec broadcast(const void* p) {
    std::int32_t word;
    std::memcpy(&word, p, sizeof word);
    return _mm_set1_epi32(word);
  }
  /// acc + sums of adjacent products of 16-bit integers.
  [[gnu::always_inline]] static vec add_products(vec acc, vec a, vec b) {
    return _mm_add_epi32(acc, _mm_madd_epi16(a, b));
  }

  /// The lower, and the upper, halves of a and b interleaved, within each 128 bits.
  [[gnu::always_inline]] static vec zip_low8(vec a, vec b) { return _mm_unpacklo_epi8(a, b); }
  [[gnu::always_inline]] static vec zip_high8(vec a, vec b) { return _mm_unpackhi_epi8(a, b); }
  [[gnu::always_inline]] static vec zip_low16(vec a, vec b) { return _mm_unpacklo_epi16(a, b); }
  [[gnu::always_inline]] static vec zip_high16(vec a, vec b) { return _mm_unpackhi_epi16(a, b); }

  /// rne(float(acc) * multiplier), one multiplier for each lane.
  [[gnu::always_inline]] static vec scale(vec acc, const float* multiplier) {
    return _mm_cvtps_epi32(_mm_mul_ps(_mm_cvtepi32_ps(acc), _mm_loadu_ps(multiplier)));
  }

  /// Saturates to 16 bits. The resulting order of lanes is accounted for by column() of
  /// register_dot.
  [[gnu::always_inline]] static words narrow(vec a) { return _mm_packs_epi32(a, a); }
  [[gnu::always_inline]] static words narrow(vec a, vec b) { return _mm_packs_epi32(a, b); }

  /// output_range in registers: as 16-bit integers and, for clamping, as bytes too.
  struct bounds {
    vec zero_point, lo, hi, lo8, hi8;

    [[gnu::always_inline]] explicit bounds(const output_range& to)
        : zero_point(_mm_set1_epi16(static_cast<short>(to.zero_point))),
          lo(_mm_set1_epi16(static_cast<short>(to.lo))),
          hi(_mm_set1_epi16(static_cast<short>(to.hi))),
          lo8(_mm_set1_epi8(static_cast<char>(to.lo))),
          hi8(_mm_set1_epi8(static_cast<char>(to.hi))) {}
  };
  /// clamp(q + zero_point, lo, hi). The saturation of the sum is covered by the clamp.
  [[gnu::always_inline]] static words finish(words q, const bounds& to) {
    return _mm_min_epi16(_mm_max_epi16(_mm_adds_epi16(q, to.zero_point), to.lo), to.hi);
  }
  /// The same for two registers, narrowed to bytes.
  template <class Out>
  [[gnu::always_inline]] static vec finish(words q0, words q1, const bounds& to) {
    const vec bytes =
        pack<Out>(_mm_adds_epi16(q0, to.zero_point), _mm_adds_epi16(q1, to.zero_point));
    return std::is_signed_v<Out> ? _mm_min_epi8(_mm_max_epi8(bytes, to.lo8), to.hi8)
                                 : _mm_min_epu8(_mm_max_epu8(bytes, to.lo8), to.hi8);
  }

  /// The first `count` of eight bytes, and of sixteen.
  template <class Out>
  [[gnu::always_inline]] static void store(words q, Out* out, int count) {
    if (count == 8) {
      _mm_storel_epi64(reinterpret_cast<vec*>(out), pack<Out>(q, q));
    } else {
      write(pack<Out>(q, q), out, count);
    }
  }
  template <class Out>
  [[gnu::always_inline]] static void store(words q0, words q1, Out* out, int count) {
    write(pack<Out>(q0, q1), out, count);
  }
  /// The same of bytes.
  template <class Out>
  [[gnu::always_inline]] static void write(vec bytes, Out* out, int count) {
    if (count == 16) {
      _mm_storeu_si128(reinterpret_cast<vec*>(out), bytes);
    } else {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
      _mm_mask_storeu_epi8(out, static_cast<__mmask16>((1U << count) - 1), bytes);
#else
      alignas(16) Out kept[16];
      _mm_store_si128(reinterpret_cast<vec*>(kept), bytes);
      std::memcpy(out, kept, static_cast<std::size_t>(count));
#endif
    }
  }

 private:
  template <class Out>
  [[gnu::always_inline]] static vec pack(words a, words b) {
    return std::is_signed_v<Out> ? _mm_packs_epi16(a, b) : _mm_packus_epi16(a, b);
  }
};

}  // namespace ctq::kernels::simd

#endif
