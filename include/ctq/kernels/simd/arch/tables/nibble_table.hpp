// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"

// Tables of 16 floats, indexed by integers of 4 bits that are packed two in a byte.

namespace ctq::kernels::simd {

/// Whether a register holds such a table. (Narrower ones would need two lookups and a choice
/// between them: computing the entries is as fast.)
template <class Isa>
inline constexpr bool has_nibble_table = isa::includes<Isa, isa::avx512>;

/// Such a table in a register, on instruction sets with has_nibble_table.
template <class Isa>
class nibble_table;

}  // namespace ctq::kernels::simd

#if defined(__AVX512F__)

#include <cstdint>

#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/intrinsics.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

template <class Isa>
class nibble_table {
 public:
  nibble_table() = default;
  /// entries: those of the indices 0 to 15.
  [[gnu::always_inline]] explicit nibble_table(__m512 entries) noexcept : entries_(entries) {}

  /// y[j] = the entries of the 16 integers in 8 bytes each; of a byte, the lower half comes first.
  template <class Floats, int Count>
  [[gnu::always_inline]] void look_up(const std::uint8_t* integers,
                                      Floats (&y)[Count]) const noexcept {
    static_assert(Count == 1 || Count == 4);
    const auto* const wide = reinterpret_cast<const __m256i*>(integers);
    const __m512i all = Count == 1 ? _mm512_castsi128_si512(_mm_loadu_si64(integers))
                                   : _mm512_castsi256_si512(_mm256_loadu_si256(wide));
    // A word of 32 bits holds 8 integers. Each lane takes the word that holds its integer, and
    // shifts this to the lowest bits, the only ones that permutexvar reads.
    const __m512i word = _mm512_set_epi32(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m512i bit = _mm512_set_epi32(28, 24, 20, 16, 12, 8, 4, 0, 28, 24, 20, 16, 12, 8, 4, 0);
    for (int j = 0; j < Count; ++j) {
      const __m512i words =
          _mm512_permutexvar_epi32(_mm512_add_epi32(word, _mm512_set1_epi32(2 * j)), all);
      y[j] = _mm512_permutexvar_ps(_mm512_srlv_epi32(words, bit), entries_);
    }
  }

 private:
  __m512 entries_;
};

}  // namespace ctq::kernels::simd

CTQ_END_AVX512

#endif
