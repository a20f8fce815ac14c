// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/kernels/compat.hpp"
#include "ctq/kernels/simd/arch/fma_sse4.hpp"

// Arithmetic on registers that rounds as IEEE 754 says, where xsimd or the compiler would do
// something near it.

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
