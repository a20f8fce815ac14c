// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__SSE2__)

#include <cstdint>

#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/conversions.hpp"
#include "ctq/kernels/simd/arch/register128.hpp"
#include "ctq/kernels/simd/arch/register256.hpp"
#include "ctq/kernels/simd/arch/register512.hpp"
#include "ctq/kernels/simd/arch/register_sse2.hpp"
#include "ctq/kernels/xsimd.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// The conversions of a register of x86.
template <class Register>
struct convert_x86 {
  using registers = Register;
  using vec = typename Register::vec;
  using floats = typename Register::floats;

  template <class Q>
  [[gnu::always_inline]] static vec widen(const Q* p) {
    return Register::widen32(p);
  }
  [[gnu::always_inline]] static vec round(floats x) { return Register::round(x); }
  [[gnu::always_inline]] static void narrow_store(vec x, void* out) {
    Register::narrow_store(x, out);
  }
  template <class Q>
  [[gnu::always_inline]] static vec narrow(vec a, vec b, vec c, vec d) {
    return ordered(Register::template pack<Q>(narrow16(a, b), narrow16(c, d)));
  }
  [[gnu::always_inline]] static void stream(void* p, vec x) { Register::stream(p, x); }
  [[gnu::always_inline]] static void stream(void* p, floats x) {
    Register::stream(p, reinterpret_cast<vec>(x));
  }
  [[gnu::always_inline]] static void stream_fence() { _mm_sfence(); }

  using range = typename Register::bounds;
  [[gnu::always_inline]] static vec narrow16(vec a, vec b) { return Register::narrow(a, b); }
  template <class Q>
  [[gnu::always_inline]] static vec bytes(vec v, vec w, const range& to) {
    return Register::template finish_or_saturate<Q>(v, w, to);
  }
  [[gnu::always_inline]] static vec ordered(vec x) { return Register::in_order(x); }
  [[gnu::always_inline]] static bool may_overflow(vec v, vec w) {
    return Register::any_equal16(Register::min16(v, w),
                                 Register::template each<std::int16_t>(-32768));
  }
  template <int Part>
  [[gnu::always_inline]] static floats biased(vec x) {
    const vec high = Register::template each<std::int16_t>(0x4B00);
    const vec half = Part < 2 ? Register::zip_low8(x, vec{}) : Register::zip_high8(x, vec{});
    return reinterpret_cast<floats>(Part % 2 == 0 ? Register::zip_low16(half, high)
                                                  : Register::zip_high16(half, high));
  }
  template <int Part>
  [[gnu::always_inline]] static vec quarter(vec even, vec odd, vec upper) {
    const vec half = Part < 2 ? Register::zip_low16(even, odd) : Register::zip_high16(even, odd);
    return Part % 2 == 0 ? Register::zip_low16(half, upper) : Register::zip_high16(half, upper);
  }
};

template <>
struct conversions<xsimd::sse2> : convert_x86<register_sse2> {};

#if defined(__SSE4_1__)
template <>
struct conversions<xsimd::sse4_1> : convert_x86<register128> {};
#endif

#if defined(__AVX2__) && defined(__FMA__)
template <>
struct conversions<xsimd::fma3<xsimd::avx2>> : convert_x86<register256> {};
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <>
struct conversions<xsimd::avx512bw> : convert_x86<register512> {
  template <int Part>
  [[gnu::always_inline]] static __m512 biased(__m512i x) {
    constexpr int first = 4 * Part;
    const __m512i at = _mm512_set4_epi32(first + 3, first + 2, first + 1, first);
    const __m512i bias = _mm512_set1_epi32(0x4B000000);
    __mmask64 lowest_bytes = 0x1111111111111111U;
#if defined(__clang__)
    __asm__("" : "+Yk"(lowest_bytes));  // else clang 19 emits a shuffle and a vpor
#endif
    return _mm512_castsi512_ps(_mm512_mask_shuffle_epi8(bias, lowest_bytes, x, at));
  }
};
#endif

}  // namespace ctq::kernels::simd

CTQ_END_AVX512

#endif
