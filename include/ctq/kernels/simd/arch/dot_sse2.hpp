// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/register_dot.hpp"
#include "ctq/kernels/simd/arch/register_sse2.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/matrix/int4_dot.hpp"

#if defined(__SSE2__)

namespace ctq::kernels::simd {

template <class Isa, class Register>
struct xmm_dot : int16_dot_of_bytes<Isa, Register> {
  using typename int16_dot_of_bytes<Isa, Register>::vec;
  using typename int16_dot_of_bytes<Isa, Register>::element;
  static constexpr int tile_rows =
      6;  // 12 accumulators, 2 weights, 1 activation, 1 product: all registers

#if !defined(__AVX__)
  /// Inline assembly, since g++ 12 copies accumulators between registers where an instruction
  /// overwrites its operand, and spills some (512^3 on Zen 4: 60 instead of 79 GOPS).
  template <bool More>
  [[gnu::always_inline]] static void dot_pair(vec (&acc)[2], vec& a, const vec (&b)[2],
                                              const element* next) {
    vec first;
    __asm__(
        "movdqa %2, %3\n\t"
        "pmaddwd %4, %3\n\t"
        "pmaddwd %5, %2\n\t"
        "paddd %3, %0\n\t"
        "paddd %2, %1"
        : "+x"(acc[0]), "+x"(acc[1]), "+x"(a), "=&x"(first)
        : "x"(b[0]), "x"(b[1]));
    if constexpr (More) a = Register::broadcast(next);
  }
#endif
};

template <>
struct int8_dot<isa::sse2> : xmm_dot<isa::sse2, register_sse2> {};

template <>
struct depthwise_dot<isa::sse2> : int16_dot<isa::sse2, register_sse2> {};

template <>
struct int4_dot<isa::sse2> : int4_words<register_sse2> {};

}  // namespace ctq::kernels::simd

#endif
