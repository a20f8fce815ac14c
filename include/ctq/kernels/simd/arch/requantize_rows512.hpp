// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

#include <cstdint>

#include "ctq/kernels/simd/arch/register512.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// output_range in registers, for row_requantizer512.
struct row_bounds512 : register512::bounds {
  __m512i zero_point32;

  [[gnu::always_inline]] explicit row_bounds512(const output_range& to)
      : bounds(to), zero_point32(_mm512_set1_epi32(to.zero_point)) {}
};

/// Requantizes rows of N * 16 accumulators, in the order of tile_format::column. While tiles
/// multiply or are loaded, conversions and float multiplications of zmm registers, saturating
/// additions and minima execute on only one of two ports: 16 of 19 instructions per row of 64
/// outputs were limited by that port. Adding zero points to 32-bit integers, which both ports
/// support, and omitting the clamp for a full range leave 12.
template <int N>
class row_requantizer512 {
  static_assert(N == 1 || N == 2 || N == 4);

 public:
  using bounds = row_bounds512;

  /// N * 16 multipliers, aligned to 64. channels: the number of outputs.
  [[gnu::always_inline]] row_requantizer512(const float* multipliers, int channels)
      : used_(channels >= 64 ? ~__mmask64{} : (__mmask64{1} << channels) - 1) {
    for (int i = 0; i < N; ++i) multiplier_[i] = _mm512_load_ps(multipliers + i * 16);
  }

  template <class Out>
  [[gnu::always_inline]] void operator()(const std::int32_t* sums, const bounds& to,
                                         Out* out) const {
    const auto scaled = [&](int i) __attribute__((always_inline)) {
      const __m512 sum = _mm512_cvtepi32_ps(_mm512_load_si512(sums + i * 16));
      const __m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(sum, multiplier_[i]));
      return _mm512_add_epi32(q, to.zero_point32);  // no overflow: see reference::requantize
    };
    const auto words = [&](int i, int j) __attribute__((always_inline)) {
      return _mm512_packs_epi32(scaled(i), scaled(j));
    };
    const auto bytes = [&](__m512i a, __m512i b) __attribute__((always_inline)) {
      return register512::clamp_unless_full<Out>(register512::pack<Out>(a, b), to);
    };
    if constexpr (N == 1) {
      const __m512i sum = scaled(0);
      const __m512i q = _mm512_packs_epi32(sum, sum);
      const __m512i row = _mm512_permutexvar_epi32(
          _mm512_setr_epi32(0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12), bytes(q, q));
      _mm_mask_storeu_epi8(out, static_cast<__mmask16>(used_), _mm512_castsi512_si128(row));
    } else if constexpr (N == 2) {
      const __m512i q = words(0, 1);
      const __m512i row =
          _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 0, 2, 4, 6), bytes(q, q));
      _mm256_mask_storeu_epi8(out, static_cast<__mmask32>(used_), _mm512_castsi512_si256(row));
    } else {
      _mm512_mask_storeu_epi8(out, used_, bytes(words(0, 1), words(2, 3)));
    }
  }

 private:
  __m512 multiplier_[N];
  __mmask64 used_;
};

}  // namespace ctq::kernels::simd

CTQ_END_AVX512

#endif
