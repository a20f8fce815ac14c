// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/register512.hpp"
#include "ctq/kernels/simd/arch/register_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/matrix/int4_dot.hpp"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

namespace ctq::kernels::simd {

template <>
struct int8_dot<isa::avx512> : int16_dot_of_bytes<isa::avx512, register512> {
  static constexpr int tile_rows = 12;  // 24 accumulators, 2 weights, 1 activation, 2 products

  /// Zen 4 distributes multiplications and additions best over its pipes in this order (1024^3: 197
  /// GOPS; 166 with each addition right after its product, as clang orders them).
  template <bool More>
  [[gnu::always_inline]] static void dot_pair(vec (&acc)[2], vec& a, const vec (&b)[2],
                                              const element* next) {
    vec first, second;
    if constexpr (More) {
      __asm__(
          "vpmaddwd %5, %2, %3\n\t"
          "vpmaddwd %6, %2, %4\n\t"
          "vpaddd %4, %1, %1\n\t"
          "vpbroadcastd %7, %2\n\t"
          "vpaddd %3, %0, %0"
          : "+v"(acc[0]), "+v"(acc[1]), "+v"(a), "=&v"(first), "=&v"(second)
          : "v"(b[0]), "v"(b[1]), "m"(*reinterpret_cast<const element(*)[k_group]>(next)));
    } else {
      __asm__(
          "vpmaddwd %5, %2, %3\n\t"
          "vpmaddwd %6, %2, %4\n\t"
          "vpaddd %4, %1, %1\n\t"
          "vpaddd %3, %0, %0"
          : "+v"(acc[0]), "+v"(acc[1]), "+v"(a), "=&v"(first), "=&v"(second)
          : "v"(b[0]), "v"(b[1]));
    }
  }
};

struct narrow_avx512_dot : int16_dot_of_bytes<isa::avx512, register256> {
  static constexpr int tile_rows =
      12;  // with weights, activation and product 15 of the 16 registers that +x allows
};
template <>
struct narrower<int8_dot<isa::avx512>> {
  using type = narrow_avx512_dot;
};

template <>
struct depthwise_dot<isa::avx512> : int16_dot<isa::avx512, register512> {};

template <>
struct int4_dot<isa::avx512> : int4_words<register512> {};

}  // namespace ctq::kernels::simd

#endif
