// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/register256.hpp"
#include "ctq/kernels/simd/arch/register_dot.hpp"
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/matrix/int4_dot.hpp"

#if defined(__AVXVNNI__) && defined(__AVX2__)

namespace ctq::kernels::simd {

struct avxvnni_instructions {
  /// Inline assembly on g++ 12, which copies the accumulators of the intrinsic (300 instead of 750
  /// GOPS); newer versions are untested.
  [[gnu::always_inline]] static __m256i dpbusd(__m256i acc, __m256i a, __m256i b) {
#if defined(__clang__)
    return _mm256_dpbusd_avx_epi32(acc, a, b);
#else
    // {vex}: an assembler with AVX-512 would choose its encoding.
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(a), "x"(b));
    return acc;
#endif
  }
};

template <>
struct int8_dot<isa::avxvnni> : vnni_dot<isa::avxvnni, register256, avxvnni_instructions> {
  static constexpr int tile_rows = 6;
};

/// Measured on AVX512-VNNI only.
template <>
struct halved<depthwise_dot<isa::avxvnni>> {
  using type = two_row_dot<depthwise_dot<isa::avxvnni>>;
};

template <>
struct int4_dot<isa::avxvnni> : int4_quads<register256, avxvnni_instructions> {};

}  // namespace ctq::kernels::simd

#endif
