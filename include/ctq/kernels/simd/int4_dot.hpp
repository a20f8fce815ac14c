// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/dot_avx512vnni.hpp"
#include "ctq/kernels/simd/arch/dot_avxvnni.hpp"
#include "ctq/kernels/simd/arch/int4_registers.hpp"
#include "ctq/kernels/simd/arch/register_neon.hpp"

namespace ctq::kernels::simd {

/// What linear_weight_int4 asks of an instruction set. A line is a register of packed weights: for
/// each of its lanes, one a channel, four bytes of eight values, the first four in the low halves.
///
///   vec, lanes       a register of 32-bit integers
///   vectors, rows    registers of channels, and rows of activations, at once
///   lines            how many lines `sums` can take before they must be added up
///   low, high        the values of a line, each in a byte
///   broadcast(p)     four activations, in each lane
///   add(sums, v, x)  sums and products of four values each with four activations
///   total(acc, sums) acc and sums, in 32 bits
///
/// Values are not negative, so the byte products of x86 take them as their unsigned operand and the
/// activations as the signed one. This is the portable form, of one lane.
template <class Isa>
struct int4_dot {
  using vec = std::int32_t;
  static constexpr int lanes = 1;
  static constexpr int vectors = 4;
  static constexpr int rows = 1;
  static constexpr int lines = INT_MAX;

  static vec load(const void* p) {
    vec x;
    std::memcpy(&x, p, sizeof x);
    return x;
  }
  static vec low(vec line) { return line & 0x0F0F0F0F; }
  static vec high(vec line) { return line >> 4 & 0x0F0F0F0F; }
  static vec broadcast(const void* p) { return load(p); }
  static vec add(vec sums, vec values, vec activations) {
    for (int i = 0; i < 32; i += 8) {
      sums += (values >> i & 15) * static_cast<std::int8_t>(activations >> i & 255);
    }
    return sums;
  }
  static vec total(vec acc, vec sums) { return acc + sums; }
};

/// Pairs of products in 16 bits.
template <class Register>
struct int4_pairs : Register {
  static constexpr int lines = 4;  // 8 * 2 * 15 * 128 < 2^15
};

#if defined(__SSE4_1__)
template <>
struct int4_dot<isa::sse4> : int4_pairs<int4_register128> {
  static constexpr int vectors = 2;
  static constexpr int rows = 2;
};
#endif

#if defined(__AVX2__)
template <>
struct int4_dot<isa::avx2> : int4_pairs<int4_register256> {
  static constexpr int vectors = 2;
  static constexpr int rows = 2;
};
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <>
struct int4_dot<isa::avx512> : int4_pairs<int4_register512> {
  static constexpr int vectors = 4;
  static constexpr int rows = 2;
};
#endif

/// Four products at once.
template <class Register, class Vnni>
struct int4_quads : Register {
  using typename Register::vec;
  static constexpr int lines = INT_MAX;

  [[gnu::always_inline]] static vec add(vec sums, vec values, vec activations) {
    return Vnni::dpbusd(sums, values, activations);
  }
  [[gnu::always_inline]] static vec total(vec acc, vec sums) { return Register::plus(acc, sums); }
};

#if defined(__AVXVNNI__) && defined(__AVX2__)
template <>
struct int4_dot<isa::avxvnni> : int4_quads<int4_register256, avxvnni_instructions> {
  static constexpr int vectors = 2;
  static constexpr int rows = 2;
};
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__) && defined(__AVX512VNNI__)
template <>
struct int4_dot<isa::avx512vnni> : int4_quads<int4_register512, avx512vnni_instructions> {
  static constexpr int vectors = 4;
  static constexpr int rows = 2;
};
template <>
struct int4_dot<isa::amx> : int4_dot<isa::avx512vnni> {};
#endif

#if defined(__ARM_FEATURE_DOTPROD) && defined(__aarch64__)
template <>
struct int4_dot<isa::dotprod> : register_neon {
  static constexpr int vectors = 4;
  static constexpr int rows = 2;
  static constexpr int lines = INT_MAX;

  [[gnu::always_inline]] static vec low(vec line) {
    return vandq_s32(line, vdupq_n_s32(0x0F0F0F0F));
  }
  [[gnu::always_inline]] static vec high(vec line) {
    return vreinterpretq_s32_u8(vshrq_n_u8(vreinterpretq_u8_s32(line), 4));
  }
  [[gnu::always_inline]] static vec add(vec sums, vec values, vec activations) {
    return vdotq_s32(sums, vreinterpretq_s8_s32(values), vreinterpretq_s8_s32(activations));
  }
  [[gnu::always_inline]] static vec total(vec acc, vec sums) { return vaddq_s32(acc, sums); }
};
template <>
struct int4_dot<isa::i8mm> : int4_dot<isa::dotprod> {};
#endif

}  // namespace ctq::kernels::simd
