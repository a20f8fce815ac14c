// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/intrinsics.hpp"
#include "ctq/kernels/xsimd.hpp"

// Loads and stores of the first lanes of a register of floats: the elements after the last whole
// register of a row. Copied one by one, they would take as long as ten registers.

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// All lanes of a register of floats, with the functions of first_lanes.
template <vectorized Isa>
struct all_lanes {
  using floats = batch<Isa, float>;

  [[nodiscard, gnu::always_inline]] floats load(const float* p, float) const noexcept {
    return floats::load_unaligned(p);
  }
  [[gnu::always_inline]] void store(const floats& x, float* p) const noexcept {
    x.store_unaligned(p);
  }
  [[nodiscard, gnu::always_inline]] floats only(const floats& x) const noexcept { return x; }
};

/// The first lanes of a register of floats: none if count <= 0, at most all. Memory of the others
/// is neither read nor written.
template <vectorized Isa>
class first_lanes {
  using floats = batch<Isa, float>;
  static constexpr int lanes = static_cast<int>(floats::size);

 public:
  [[gnu::always_inline]] explicit first_lanes(int count) noexcept
      : count_(std::clamp(count, 0, lanes)) {}

  /// The elements from p on, with `filler` in the other lanes.
  [[nodiscard, gnu::always_inline]] floats load(const float* p, float filler) const noexcept {
    float all[lanes];
    for (int i = 0; i < lanes; ++i) all[i] = i < count_ ? p[i] : filler;
    return floats::load_unaligned(all);
  }
  [[gnu::always_inline]] void store(const floats& x, float* p) const noexcept {
    float all[lanes];
    x.store_unaligned(all);
    for (int i = 0; i < count_; ++i) p[i] = all[i];
  }
  /// x, with zeros in the other lanes.
  [[nodiscard, gnu::always_inline]] floats only(const floats& x) const noexcept {
    float all[lanes];
    x.store_unaligned(all);
    return load(all, 0.0F);
  }

 private:
  int count_;
};

#if defined(__AVX512F__)
template <vectorized Isa>
requires(isa::includes<Isa, isa::avx512>) class first_lanes<Isa> {
  using floats = batch<Isa, float>;

 public:
  [[gnu::always_inline]] explicit first_lanes(int count) noexcept
      : mask_(static_cast<__mmask16>((1U << std::clamp(count, 0, 16)) - 1)) {}

  [[nodiscard, gnu::always_inline]] floats load(const float* p, float filler) const noexcept {
    return _mm512_mask_loadu_ps(_mm512_set1_ps(filler), mask_, p);
  }
  [[gnu::always_inline]] void store(const floats& x, float* p) const noexcept {
    _mm512_mask_storeu_ps(p, mask_, x);
  }
  [[nodiscard, gnu::always_inline]] floats only(const floats& x) const noexcept {
    return _mm512_maskz_mov_ps(mask_, x);
  }

 private:
  __mmask16 mask_;
};
#endif

#if defined(__AVX2__)
template <vectorized Isa>
requires(isa::includes<Isa, isa::avx2> && !isa::includes<Isa, isa::avx512>) class first_lanes<Isa> {
  using floats = batch<Isa, float>;

 public:
  [[gnu::always_inline]] explicit first_lanes(int count) noexcept
      : mask_(_mm256_cmpgt_epi32(_mm256_set1_epi32(count),
                                 _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))) {}

  [[nodiscard, gnu::always_inline]] floats load(const float* p, float filler) const noexcept {
    return _mm256_blendv_ps(_mm256_set1_ps(filler), _mm256_maskload_ps(p, mask_),
                            _mm256_castsi256_ps(mask_));
  }
  [[gnu::always_inline]] void store(const floats& x, float* p) const noexcept {
    _mm256_maskstore_ps(p, mask_, x);
  }
  [[nodiscard, gnu::always_inline]] floats only(const floats& x) const noexcept {
    return _mm256_and_ps(x, _mm256_castsi256_ps(mask_));
  }

 private:
  __m256i mask_;
};
#endif

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
