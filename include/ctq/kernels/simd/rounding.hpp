// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/kernels/compat.hpp"
#include "ctq/kernels/simd/arch/fma_sse4.hpp"

// Register arithmetic with exact IEEE 754 rounding, where xsimd or the compiler would only
// approximate it.

// g++ 12 warns about the undefined pass-through operand of AVX-512 intrinsics, including those in
// xsimd (false positive, GCC bug 105593, fixed in 13).
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace ctq::kernels::simd {

/// x, protected from contraction with a following add into an fma: see no_contract.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> rounded(batch<Isa, float> x) noexcept {
  using register_type = typename batch<Isa, float>::register_type;
  return no_contract(static_cast<register_type>(x));
}

/// x / y, correctly rounded. On ARM xsimd (8.1 to 14.3) refines an estimate, which can be off by
/// one bit.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> divide(batch<Isa, float> x,
                                                                  batch<Isa, float> y) noexcept {
#if defined(__aarch64__)
  return vdivq_f32(x, y);
#else
  return x / y;
#endif
}

/// low where x < low, else x, including NaN and -0. On x86 max returns the second operand if one is
/// NaN or both are zero; it costs half of a select, which g++ 12 compiles to a comparison and a
/// blend.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> at_least(
    batch<Isa, float> x, batch<Isa, float> low) noexcept {
#if defined(__x86_64__)
  return xsimd::max(low, x);
#else
  return xsimd::select(x < low, low, x);
#endif
}
/// high where x > high, else x.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> at_most(
    batch<Isa, float> x, batch<Isa, float> high) noexcept {
#if defined(__x86_64__)
  return xsimd::min(high, x);
#else
  return xsimd::select(x > high, high, x);
#endif
}

/// Satisfied by instruction sets with a fused multiply-add; SSE has none.
template <class Isa>
concept has_fma = isa::includes<Isa, isa::avx2> || isa::includes<Isa, isa::neon>;

/// x * y + z, rounded once. xsimd 8.1 has no 512-bit fma and uses two operations instead.
template <has_fma Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> fma(batch<Isa, float> x,
                                                               batch<Isa, float> y,
                                                               batch<Isa, float> z) noexcept {
#if defined(__AVX512F__)
  if constexpr (isa::includes<Isa, isa::avx512>) return _mm512_fmadd_ps(x, y, z);
#endif
  return xsimd::fma(x, y, z);
}

#if defined(__SSE4_1__)
/// As above, emulated where there is no such instruction: the same bits, about 15 times slower.
template <vectorized Isa>
requires(!has_fma<Isa>)
    [[nodiscard, gnu::always_inline]] inline batch<Isa, float> fma(batch<Isa, float> x,
                                                                   batch<Isa, float> y,
                                                                   batch<Isa, float> z) noexcept {
  return fma_sse4(x, y, z);
}
#endif

}  // namespace ctq::kernels::simd

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic pop
#endif
