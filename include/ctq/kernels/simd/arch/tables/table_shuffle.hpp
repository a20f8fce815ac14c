// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/core/unroll.hpp"
#include "ctq/kernels/quantizer.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/intrinsics.hpp"
#include "ctq/kernels/xsimd.hpp"

// Tables of 256 entries by vpshufb, which looks up one of 16 bytes, and gives 0 for an index whose
// upper bit is set.

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

#if defined(__SSSE3__)

[[nodiscard, gnu::always_inline]] inline __m128i shuffle_bytes(__m128i row, __m128i index) {
  return _mm_shuffle_epi8(row, index);
}
/// x - y of signed bytes, saturated. xsimd::ssub of xsimd 8.1 takes several instructions with
/// AVX-512, and does not compile there without optimization.
[[nodiscard, gnu::always_inline]] inline __m128i subtract_saturated(__m128i x, __m128i y) {
  return _mm_subs_epi8(x, y);
}
#if defined(__AVX2__)
[[nodiscard, gnu::always_inline]] inline __m256i shuffle_bytes(__m256i row, __m256i index) {
  return _mm256_shuffle_epi8(row, index);
}
[[nodiscard, gnu::always_inline]] inline __m256i subtract_saturated(__m256i x, __m256i y) {
  return _mm256_subs_epi8(x, y);
}
#endif
#if defined(__AVX512BW__)
[[nodiscard, gnu::always_inline]] inline __m512i shuffle_bytes(__m512i row, __m512i index) {
  return _mm512_shuffle_epi8(row, index);
}
[[nodiscard, gnu::always_inline]] inline __m512i subtract_saturated(__m512i x, __m512i y) {
  return _mm512_subs_epi8(x, y);
}
#endif

template <class Isa>
inline constexpr bool shuffles_bytes = vectorized<Isa> && !std::is_same_v<Isa, isa::sse2>;

#else

template <class Isa>
inline constexpr bool shuffles_bytes = false;

#endif

/// A table of 256 entries in rows of 16. Rows 0 and 8 are stored unchanged, each other row as its
/// xor with the row before it. An index is looked up in all eight rows of its half of the table,
/// reduced by 16 from row to row. The rows after its own see a negative index and give 0, so the
/// xor of all results is its entry.
template <class Isa, quantized Q>
class shuffled_table {
  using lanes_of_q = batch<Isa, Q>;
  using bytes = batch<Isa, std::int8_t>;
  using reg = typename bytes::register_type;
  static constexpr std::size_t lanes = bytes::size;

 public:
  [[gnu::always_inline]] explicit shuffled_table(const Q* table) noexcept {
    std::uint64_t row[16][2];
    std::memcpy(row, table, sizeof row);
    for (int k = 15; k >= 0; --k) {
      if (k % 8 != 0)
        for (int half = 0; half < 2; ++half) row[k][half] ^= row[k - 1][half];
      for (std::size_t i = 0; i < lanes; i += 16) std::memcpy(rows_[k] + i, row[k], 16);
    }
  }

  /// The entry of each lane, indexed by its bits.
  [[nodiscard, gnu::always_inline]] lanes_of_q operator[](const lanes_of_q& q) const noexcept {
    const reg sixteen = bytes(std::int8_t{16});
    reg low = static_cast<reg>(q), high = bytes(low) ^ bytes(std::int8_t{-128});
    bytes out = of_row(0, low) ^ of_row(8, high);
    unroll<7>([&](auto k) __attribute__((always_inline)) {
      low = subtract_saturated(low, sixteen);
      high = subtract_saturated(high, sixteen);
      out ^= of_row(1 + k, low) ^ of_row(9 + k, high);
    });
    return lanes_of_q(static_cast<reg>(out));
  }

 private:
  [[nodiscard, gnu::always_inline]] bytes of_row(int row, reg index) const noexcept {
    return bytes(shuffle_bytes(static_cast<reg>(bytes::load_aligned(rows_[row])), index));
  }

  alignas(64) std::int8_t rows_[16][lanes];
};

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
