// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__SSE2__)

#include "ctq/kernels/simd/arch/intrinsics.hpp"
#include "ctq/kernels/simd/arch/register_x86.hpp"

namespace ctq::kernels::simd {

/// The operations of an xmm register that SSE2 has instructions for. Register adds the others.
template <class Register>
struct register_xmm : register_x86<Register, 16> {
  using vec = typename register_x86<Register, 16>::vec;
  using floats = typename register_x86<Register, 16>::floats;

  /// Nearest 32-bit integers, ties to even.
  [[gnu::always_inline]] static vec round(floats x) { return _mm_cvtps_epi32(x); }

  /// acc + sums of adjacent products of 16-bit integers.
  [[gnu::always_inline]] static vec add_products(vec acc, vec a, vec b) {
    return _mm_add_epi32(acc, _mm_madd_epi16(a, b));
  }
  /// a + b, saturated.
  [[gnu::always_inline]] static vec add16(vec a, vec b) { return _mm_adds_epi16(a, b); }
  [[gnu::always_inline]] static vec min16(vec a, vec b) { return _mm_min_epi16(a, b); }
  [[gnu::always_inline]] static vec max16(vec a, vec b) { return _mm_max_epi16(a, b); }
  /// Whether any 16-bit integers of a and b are equal.
  [[gnu::always_inline]] static bool any_equal16(vec a, vec b) {
    return _mm_movemask_epi8(_mm_cmpeq_epi16(a, b)) != 0;
  }

  /// The lower, and the upper, halves of a and b interleaved.
  [[gnu::always_inline]] static vec zip_low8(vec a, vec b) { return _mm_unpacklo_epi8(a, b); }
  [[gnu::always_inline]] static vec zip_high8(vec a, vec b) { return _mm_unpackhi_epi8(a, b); }
  [[gnu::always_inline]] static vec zip_low16(vec a, vec b) { return _mm_unpacklo_epi16(a, b); }
  [[gnu::always_inline]] static vec zip_high16(vec a, vec b) { return _mm_unpackhi_epi16(a, b); }

  /// Saturates to 16 bits. The resulting order of lanes is accounted for by column() of
  /// register_dot.
  [[gnu::always_inline]] static vec narrow(vec a) { return _mm_packs_epi32(a, a); }
  [[gnu::always_inline]] static vec narrow(vec a, vec b) { return _mm_packs_epi32(a, b); }
  /// 16-bit integers, saturated to bytes.
  template <class Out>
  [[gnu::always_inline]] static vec pack(vec a, vec b) {
    return std::is_signed_v<Out> ? _mm_packs_epi16(a, b) : _mm_packus_epi16(a, b);
  }
  /// pack(narrow(a, b), narrow(c, d)) in the order a b c d.
  [[gnu::always_inline]] static vec in_order(vec bytes) { return bytes; }

  /// Stores the first `count` of eight bytes, from 16-bit integers in the range of Out, and of
  /// sixteen.
  template <class Out>
  [[gnu::always_inline]] static void store(vec q, Out* out, int count) {
    if (count == 8) {
      _mm_storel_epi64(reinterpret_cast<vec*>(out), pack<Out>(q, q));
    } else {
      Register::write(pack<Out>(q, q), out, count);
    }
  }
  template <class Out>
  [[gnu::always_inline]] static void store(vec q0, vec q1, Out* out, int count) {
    Register::write(pack<Out>(q0, q1), out, count);
  }
  /// Non-temporal, to an aligned address.
  [[gnu::always_inline]] static void stream(void* p, vec x) {
    _mm_stream_si128(static_cast<vec*>(p), x);
  }
};

/// An xmm register with SSE2 alone: what later instruction sets do in one instruction takes two to
/// nine.
struct register_sse2 : register_xmm<register_sse2> {
  /// The lower half of a register, as 16-bit integers, and a quarter, as 32-bit integers.
  [[gnu::always_inline]] static vec widen(const std::uint8_t* p) {
    return zip_low8(_mm_loadl_epi64(reinterpret_cast<const vec*>(p)), vec{});
  }
  [[gnu::always_inline]] static vec widen(const std::int8_t* p) {
    return upper_bytes(zip_low8(vec{}, _mm_loadl_epi64(reinterpret_cast<const vec*>(p))));
  }
  [[gnu::always_inline]] static vec widen32(const std::uint8_t* p) {
    return zip_low16(zip_low8(_mm_loadu_si32(p), vec{}), vec{});
  }
  [[gnu::always_inline]] static vec widen32(const std::int8_t* p) {
    const vec words = zip_low8(vec{}, _mm_loadu_si32(p));
    return _mm_srai_epi32(zip_low16(vec{}, words), 24);
  }

  /// Sums of adjacent products of uint8 and int8, saturated to 16 bits.
  [[gnu::always_inline]] static vec products8(vec a, vec b) {
    const vec first = _mm_mullo_epi16(a & each<std::int16_t>(255), upper_bytes(even(b)));
    const vec second = _mm_mullo_epi16(_mm_srli_epi16(a, 8), upper_bytes(b));
    return add16(first, second);
  }
  /// (a * b + 2^14) >> 15 of 16-bit integers: the upper half of the product, doubled, and the two
  /// highest bits of the lower one, halved and rounded up.
  [[gnu::always_inline]] static vec multiply16(vec a, vec b) {
    const vec high = _mm_mulhi_epi16(a, b);
    const vec low = _mm_srli_epi16(_mm_mullo_epi16(a, b), 14);
    return _mm_add_epi16(_mm_add_epi16(high, high), _mm_avg_epu16(low, vec{}));
  }
  /// int8 is compared as uint8 after flip_signs, which keeps the order.
  template <class T>
  [[gnu::always_inline]] static vec min8(vec a, vec b) {
    if constexpr (std::is_signed_v<T>) {
      return flip_signs(_mm_min_epu8(flip_signs(a), flip_signs(b)));
    } else {
      return _mm_min_epu8(a, b);
    }
  }
  template <class T>
  [[gnu::always_inline]] static vec max8(vec a, vec b) {
    if constexpr (std::is_signed_v<T>) {
      return flip_signs(_mm_max_epu8(flip_signs(a), flip_signs(b)));
    } else {
      return _mm_max_epu8(a, b);
    }
  }
  /// Stores the lowest byte of each lane.
  [[gnu::always_inline]] static void narrow_store(vec x, void* out) {
    const vec words = narrow(x & each<std::int32_t>(255));
    _mm_storeu_si32(out, _mm_packus_epi16(words, words));
  }

 private:
  /// The upper bytes of 16-bit integers, sign-extended.
  [[gnu::always_inline]] static vec upper_bytes(vec x) { return _mm_srai_epi16(x, 8); }
};

}  // namespace ctq::kernels::simd

#endif
