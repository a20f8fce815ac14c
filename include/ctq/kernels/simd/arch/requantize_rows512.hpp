// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

#include <cstddef>
#include <cstdint>

#include "ctq/kernels/simd/arch/register512.hpp"

// As in register512.hpp: false positive of g++ 12.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

namespace ctq::kernels::simd {

/// Requantizes rows of N * 16 accumulators, in the order of tile_format::column. Biases and
/// multipliers stay in registers, since tile kernels are limited by loads.
template <int N>
class row_requantizer512 {
  static_assert(N == 1 || N == 2 || N == 4);

 public:
  using bounds = register512::bounds;

  /// from: N * 16 biases, then as many multipliers, aligned to 64. channels: the number of outputs.
  [[gnu::always_inline]] row_requantizer512(const std::byte* from, int channels)
      : used_(channels >= 64 ? ~__mmask64{} : (__mmask64{1} << channels) - 1) {
    for (int i = 0; i < N; ++i) {
      bias_[i] = _mm512_load_si512(from + i * 64);
      multiplier_[i] = _mm512_load_ps(from + (N + i) * 64);
    }
  }

  template <class Out>
  [[gnu::always_inline]] void operator()(const std::int32_t* sums, const bounds& to,
                                         Out* out) const {
    const auto scaled = [&](int i) __attribute__((always_inline)) {
      const __m512i sum = _mm512_add_epi32(_mm512_load_si512(sums + i * 16), bias_[i]);
      return _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(sum), multiplier_[i]));
    };
    const auto words = [&](int i) __attribute__((always_inline)) {
      return register512::narrow(scaled(i), scaled(i + 1));
    };
    if constexpr (N == 1) {
      const __m256i q = register512::finish(register512::narrow(scaled(0)), to);
      _mm_mask_storeu_epi8(out, static_cast<__mmask16>(used_), _mm256_cvtepi16_epi8(q));
    } else if constexpr (N == 2) {
      const __m512i q = register512::finish(words(0), to);
      _mm256_mask_storeu_epi8(out, static_cast<__mmask32>(used_), _mm512_cvtepi16_epi8(q));
    } else {
      _mm512_mask_storeu_epi8(out, used_, register512::finish<Out>(words(0), words(2), to));
    }
  }

 private:
  __m512i bias_[N];
  __m512 multiplier_[N];
  __mmask64 used_;
};

}  // namespace ctq::kernels::simd

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
