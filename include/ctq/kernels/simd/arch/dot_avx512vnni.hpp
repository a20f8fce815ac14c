// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/isa.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/arch/register512.hpp"
#include "ctq/kernels/simd/arch/register_dot.hpp"
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/matrix/int4_dot.hpp"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__) && defined(__AVX512VNNI__)

namespace ctq::kernels::simd {

struct avx512vnni_instructions {
  // Inline assembly on g++ 12: see avxvnni_instructions.
  [[gnu::always_inline]] static __m512i dpbusd(__m512i acc, __m512i a, __m512i b) {
#if defined(__clang__)
    return _mm512_dpbusd_epi32(acc, a, b);
#else
    __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(a), "v"(b));
    return acc;
#endif
  }
  // depthwise_dot loads its weights from memory, since its registers are full of activations.
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
  static constexpr int tile_rows = 14;  // 28 accumulators, 2 weights, 1 activation of 32 registers

  using vnni_dot::store_tile;
  /// The same with two vecs per pixel. If all channels are stored, two pixels share the
  /// instructions that clamp and narrow to bytes (256^3: 96 instead of 94.5 % of the peak; without
  /// VNNI no gain).
  template <int M, class Out, class Used>
  [[gnu::always_inline]] static void store_tile(const vec (&acc)[M][2], const float* multiplier,
                                                const bounds& to, Out* out, std::ptrdiff_t stride,
                                                Used count) {
    const auto pixel = [&](int m) __attribute__((always_inline)) {
      store(acc[m], multiplier, to, out + m * stride, count);
    };
    if (count == 2 * lanes) {
      unroll<M / 2>([&](auto i) __attribute__((always_inline)) {
        Out* const first = out + 2 * i * stride;
        const vec words[] = {half(acc[2 * i], multiplier), half(acc[2 * i + 1], multiplier)};
        write_halves(finish<Out>(words[0], words[1], to), first, first + stride);
      });
      if constexpr (M % 2 != 0) pixel(M - 1);
      return;
    }
    unroll<M>(pixel);
  }
};

struct narrow_avx512vnni_dot : vnni_dot<isa::avx512vnni, register256, avx512vnni_instructions> {
  static constexpr int tile_rows = 14;  // as int8_dot; g++ would spill some of 28 accumulators
};
template <>
struct narrower<int8_dot<isa::avx512vnni>> {
  using type = narrow_avx512vnni_dot;
};

/// Uses ymm registers: four taps of 32 channels fill four of them. Few layers have channels that
/// fill zmm registers in all blocks.
template <>
struct depthwise_dot<isa::avx512vnni> : narrow_avx512vnni_dot {};
template <>
struct wider<depthwise_dot<isa::avx512vnni>> {
  using type = int8_dot<isa::avx512vnni>;
};

template <>
struct halved<depthwise_dot<isa::avx512vnni>> {
  using type = two_row_dot<narrow_avx512vnni_dot>;
};

/// For layers that are too small for AMX tiles.
template <>
struct int8_dot<isa::amx> : int8_dot<isa::avx512vnni> {};
template <>
struct depthwise_dot<isa::amx> : depthwise_dot<isa::avx512vnni> {};
template <>
struct wider<depthwise_dot<isa::amx>> : wider<depthwise_dot<isa::avx512vnni>> {};
template <>
struct halved<depthwise_dot<isa::amx>> : halved<depthwise_dot<isa::avx512vnni>> {};
template <>
struct narrower<int8_dot<isa::amx>> : narrower<int8_dot<isa::avx512vnni>> {};

template <>
struct int4_dot<isa::avx512vnni> : int4_quads<register512, avx512vnni_instructions> {
  // Four pairs are 5 % faster with weights in L2, but much slower with weights in L3 (1x4096x4096
  // in groups of 128, Zen 4: 150 instead of 113 us).
  static constexpr int pairs = 3;
};
template <>
struct int4_dot<isa::amx> : int4_dot<isa::avx512vnni> {};

}  // namespace ctq::kernels::simd

#endif
