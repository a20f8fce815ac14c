// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstdint>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/quantizer.hpp"
#include "ctq/kernels/simd/arch/tables/table_avx512vbmi.hpp"
#include "ctq/kernels/simd/arch/tables/table_neon.hpp"
#include "ctq/kernels/xsimd.hpp"

// Table lookup on registers: any function of an 8-bit integer as a table of 256 entries.

namespace ctq::kernels::simd {

/// Whether the instruction set has a table lookup of 64 entries or more. (vpshufb looks up 16: 256
/// entries take sixteen of them, see shuffled_table, which pays for long tensors only.)
#if (defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VBMI__)) || \
    defined(__aarch64__)
template <class Isa>
inline constexpr bool has_wide_lookup = vectorized<Isa>;
#else
template <class Isa>
inline constexpr bool has_wide_lookup = false;
#endif

/// A table of 256 entries. With VBMI it is kept in four registers, since the compiler would load it
/// again after each store of a loop; elsewhere it is a pointer.
template <vectorized Isa, quantized Q>
class lookup_registers {
  using lanes = batch<Isa, Q>;

 public:
  [[gnu::always_inline]] explicit lookup_registers(const Q* table) noexcept : table_(table) {}

  /// The entry of each lane, indexed by its bits; one by one where there is no such instruction.
  [[nodiscard, gnu::always_inline]] lanes operator[](const lanes& q) const noexcept {
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VBMI__)
    return lanes(table_[static_cast<typename lanes::register_type>(q)]);
#elif defined(__aarch64__)
    return std::bit_cast<lanes>(look_up_neon(table_, std::bit_cast<uint8x16_t>(q)));
#else
    Q buffer[lanes::size];
    q.store_unaligned(buffer);
    for (Q& x : buffer) x = table_[static_cast<std::uint8_t>(x)];
    return lanes::load_unaligned(buffer);
#endif
  }

 private:
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VBMI__)
  vbmi_table table_;
#else
  const Q* table_;
#endif
};

/// table[q] in each lane.
template <vectorized Isa, quantized Q>
[[nodiscard, gnu::always_inline]] inline batch<Isa, Q> look_up(const Q* table,
                                                               const batch<Isa, Q>& q) noexcept {
  return lookup_registers<Isa, Q>(table)[q];
}

}  // namespace ctq::kernels::simd
