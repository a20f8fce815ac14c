// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/compat.hpp"
#include "ctq/kernels/quantizer.hpp"
#include "ctq/kernels/simd/arch/table_avx512vbmi.hpp"
#include "ctq/kernels/simd/arch/table_neon.hpp"

// Any function of an 8-bit integer, a register at a time: tables of 256 entries.

namespace ctq::kernels::simd {

/// Whether instructions look up 64 bytes or more at once. (vpshufb looks up 16: 256 entries want
/// sixteen of them, each with a compare.)
#if (defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VBMI__)) || \
    defined(__aarch64__)
template <class Isa>
inline constexpr bool has_wide_lookup = vectorized<Isa>;
#else
template <class Isa>
inline constexpr bool has_wide_lookup = false;
#endif

/// table[q] for each lane, by the bits of q; one by one where there is no such instruction.
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
  Q kept[lanes];
  q.store_unaligned(kept);
  for (std::size_t i = 0; i < lanes; ++i) kept[i] = table[static_cast<std::uint8_t>(kept[i])];
  return batch<Isa, Q>::load_unaligned(kept);
#endif
}

}  // namespace ctq::kernels::simd
