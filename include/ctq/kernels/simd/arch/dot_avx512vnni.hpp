// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/register512.hpp"
#include "ctq/kernels/simd/arch/register_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__) && defined(__AVX512VNNI__)

namespace ctq::kernels::simd {

struct avx512vnni_instructions {
  // By hand on g++ 12: see avxvnni_instructions.
  [[gnu::always_inline]] static __m512i dpbusd(__m512i acc, __m512i a, __m512i b) {
#if defined(__clang__)
    return _mm512_dpbusd_epi32(acc, a, b);
#else
    __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b));
    return acc;
#endif
  }
  // Weights of depthwise_dot come from memory: its registers are full of activations.
  [[gnu::always_inline]] static __m256i dpbusd(__m256i acc, __m256i a, __m256i b) {
#if defined(__clang__)
    return _mm256_dpbusd_epi32(acc, a, b);
#else
    __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(a), "vm"(b));
    return acc;
#endif
  }
};

template <>
struct int8_dot<isa::avx512vnni> : vnni_dot<isa::avx512vnni, register512, avx512vnni_instructions> {
  static constexpr int tile_rows = 14;  // 28 sums, 2 weights, 1 activation of 32 registers
};

/// Four taps of 32 channels fill four ymm; zmm would want 64 channels, which few layers have.
template <>
struct depthwise_dot<isa::avx512vnni>
    : vnni_dot<isa::avx512vnni, register256, avx512vnni_instructions> {};

/// What tiles are too large for.
template <>
struct int8_dot<isa::amx> : int8_dot<isa::avx512vnni> {};
template <>
struct depthwise_dot<isa::amx> : depthwise_dot<isa::avx512vnni> {};

}  // namespace ctq::kernels::simd

#endif
