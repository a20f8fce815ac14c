// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/quantizer.hpp"
#include "ctq/kernels/simd/arch/table_avx512vbmi.hpp"
#include "ctq/kernels/simd/arch/table_neon.hpp"
#include "ctq/kernels/xsimd.hpp"

// Table lookup on registers: any function of an 8-bit integer as a table of 256 entries.

namespace ctq::kernels::simd {

/// Whether the instruction set has a table lookup of 64 entries or more. (vpshufb has 16: 256
/// entries would take sixteen of them, each with a comparison.)
#if (defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VBMI__)) || \
    defined(__aarch64__)
template <class Isa>
inline constexpr bool has_wide_lookup = vectorized<Isa>;
#else
template <class Isa>
inline constexpr bool has_wide_lookup = false;
#endif

/// table[q] in each lane, indexed by the bits of q; one by one where there is no such instruction.
template <vectorized Isa, quantized Q>
[[nodiscard, gnu::always_inline]] inline batch<Isa, Q> look_up(const Q* table,
                                                               const batch<Isa, Q>& q) noexcept {
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VBMI__)
  using register_type = typename batch<Isa, Q>::register_type;
  return batch<Isa, Q>(look_up_vbmi(table, static_cast<register_type>(q)));
#elif defined(__aarch64__)
  return std::bit_cast<batch<Isa, Q>>(look_up_neon(table, std::bit_cast<uint8x16_t>(q)));
#else
  constexpr std::size_t lanes = batch<Isa, Q>::size;
  Q buffer[lanes];
  q.store_unaligned(buffer);
  for (std::size_t i = 0; i < lanes; ++i) buffer[i] = table[static_cast<std::uint8_t>(buffer[i])];
  return batch<Isa, Q>::load_unaligned(buffer);
#endif
}

}  // namespace ctq::kernels::simd
