// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/kernels/compat.hpp"
#include "ctq/kernels/simd/arch/fma_sse4.hpp"

// Arithmetic on registers that rounds as IEEE 754 says, where xsimd or the compiler would do
// something near it.

// g++ 12 takes the undefined pass-through operand of AVX-512 intrinsics, xsimd's included, for a
// mistake (GCC bug 105593, gone in 13).
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace ctq::kernels::simd {

/// x, kept from being fused with what follows: see no_contract.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> rounded(batch<Isa, float> x) noexcept {
  using register_type = typename batch<Isa, float>::register_type;
  return no_contract(static_cast<register_type>(x));
}

/// x / y. xsimd refines an estimate on ARM (8.1 to 14.3), which is off by one bit at times.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> divide(batch<Isa, float> x,
                                                                  batch<Isa, float> y) noexcept {
#if defined(__aarch64__)
  return vdivq_f32(x, y);
#else
  return x / y;
#endif
}

/// low where x < low, else x, be it NaN or -0. On x86 max gives the second operand in doubt, and is
/// half of what a select takes (g++ 12 makes it a comparison and a blend).
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

/// Satisfied by instruction sets that have a fused multiply-add; SSE has none.
template <class Isa>
concept has_fma = isa::includes<Isa, isa::avx2> || isa::includes<Isa, isa::neon>;

/// x * y + z. xsimd 8.1 has none of 512 bits and substitutes two operations.
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
/// The same where there is no instruction for it: the same bits, some fifteen times slower.
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
