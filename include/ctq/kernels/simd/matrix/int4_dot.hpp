// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <climits>
#include <cstdint>
#include <cstring>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/dot_avx512vnni.hpp"
#include "ctq/kernels/simd/arch/dot_avxvnni.hpp"
#include "ctq/kernels/simd/arch/int4_registers.hpp"
#include "ctq/kernels/simd/arch/register_neon.hpp"

namespace ctq::kernels::simd {

/// What linear_weight_int4 asks of an instruction set. A line is a register of packed weights, for
/// two registers of channels: in each of its lanes four bytes, whose low halves are four values of
/// one channel, and the high halves those of the channel that is `lanes` further.
///
///   vec, lanes    a register of 32-bit integers
///   pairs, rows   lines, that is pairs of registers of channels, and rows of activations, at once
///   pair          `low` and `high`: values of a line, each in a byte, or what becomes of them
///   sums          of 32 bits, on their way
///   lines         how many lines they can take before they must be carried
///   load, save    a register
///   split(x)      the values of a line; the high ones may be sixteen times as large
///   unpack(x)     the two numbers in the first byte of each lane, as they are
///   broadcast(p)  four activations, in each lane
///   begin(x)      sums that start from x, a pair
///   add(s, v, a)  adds to sums the products of values with a
///   carry(s)      makes room for more lines
///   total(s)      the sums, a pair
///
/// Values are not negative, so the byte products of x86 take them as their unsigned operand and the
/// activations as the signed one. This is the portable form, of one lane.
template <class Isa>
struct int4_dot {
  using vec = std::int32_t;
  static constexpr int lanes = 1;
  static constexpr int pairs = 2;
  static constexpr int rows = 1;
  static constexpr int lines = INT_MAX;
  struct pair {
    vec low, high;
  };
  using sums = pair;

  static sums begin(pair x) { return x; }
  static vec load(const void* p) {
    vec x;
    std::memcpy(&x, p, sizeof x);
    return x;
  }
  static void save(void* p, vec x) { std::memcpy(p, &x, sizeof x); }
  static pair split(vec x) { return {x & 0x0F0F0F0F, x >> 4 & 0x0F0F0F0F}; }
  static pair unpack(vec x) { return split(x); }
  static vec broadcast(const void* p) { return load(p); }
  static void add(sums& s, const pair& values, vec a) {
    for (int i = 0; i < 32; i += 8) {
      const int activation = static_cast<std::int8_t>(a >> i & 255);
      s.low += (values.low >> i & 15) * activation;
      s.high += (values.high >> i & 15) * activation;
    }
  }
  static void carry(sums&) {}
  static pair total(const sums& s) { return s; }
};

/// Two registers of channels, or the two values of each byte of a line.
template <class Register>
struct int4_pair {
  typename Register::vec low, high;
};

/// Two products in 16 bits, with vpmaddubsw, which every x86 has.
template <class Register>
struct int4_words : Register {
  using typename Register::vec;
  using pair = int4_pair<Register>;
  static constexpr int lines = 8;  // 8 * 2 * 15 * 128 < 2^15
  struct sums {
    pair acc, words;
  };

  [[gnu::always_inline]] static sums begin(const pair& x) { return {x, {vec{}, vec{}}}; }
  [[gnu::always_inline]] static pair split(vec x) {
    return {Register::low(x), Register::low(Register::shifted(x))};
  }
  [[gnu::always_inline]] static pair unpack(vec x) { return split(x); }
  [[gnu::always_inline]] static void add(sums& s, const pair& values, vec a) {
    s.words.low = Register::add_pairs(s.words.low, values.low, a);
    s.words.high = Register::add_pairs(s.words.high, values.high, a);
  }
  [[gnu::always_inline]] static void carry(sums& s) { s = begin(total(s)); }
  [[gnu::always_inline]] static pair total(const sums& s) {
    return {Register::add_words(s.acc.low, s.words.low),
            Register::add_words(s.acc.high, s.words.high)};
  }
};

#if defined(__SSE4_1__)
template <>
struct int4_dot<isa::sse4> : int4_words<int4_register128> {
  static constexpr int pairs = 2;
  static constexpr int rows = 2;
};
#endif

#if defined(__AVX2__)
template <>
struct int4_dot<isa::avx2> : int4_words<int4_register256> {
  static constexpr int pairs = 2;
  static constexpr int rows = 2;
};
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <>
struct int4_dot<isa::avx512> : int4_words<int4_register512> {
  static constexpr int pairs = 2;
  static constexpr int rows = 2;
};
#endif

/// Four products at once. High values stay where they are in their bytes, which spares a shift a
/// line, with sums sixteen times as large.
template <class Register, class Vnni>
struct int4_quads : Register {
  using typename Register::vec;
  using pair = int4_pair<Register>;
  static constexpr int lines = 1 << 14;  // 4 * 240 * 128 of each
  struct sums {
    vec low, high;
    vec start;  // of the high ones, in their own size
  };

  [[gnu::always_inline]] static sums begin(const pair& x) { return {x.low, vec{}, x.high}; }
  [[gnu::always_inline]] static pair split(vec x) {
    Register::keep(x);
    return {Register::low(x), Register::high(x)};
  }
  [[gnu::always_inline]] static pair unpack(vec x) {
    return {Register::low(x), Register::sixteenth(x)};
  }
  [[gnu::always_inline]] static void add(sums& s, const pair& values, vec a) {
    s.low = Vnni::dpbusd(s.low, values.low, a);
    s.high = Vnni::dpbusd(s.high, values.high, a);
  }
  [[gnu::always_inline]] static void carry(sums& s) { s = begin(total(s)); }
  [[gnu::always_inline]] static pair total(const sums& s) {
    return {s.low, Register::plus(s.start, Register::sixteenth(s.high))};
  }
};

#if defined(__AVXVNNI__) && defined(__AVX2__)
template <>
struct int4_dot<isa::avxvnni> : int4_quads<int4_register256, avxvnni_instructions> {
  static constexpr int pairs = 2;
  static constexpr int rows = 2;
};
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__) && defined(__AVX512VNNI__)
template <>
struct int4_dot<isa::avx512vnni> : int4_quads<int4_register512, avx512vnni_instructions> {
  // Four are a twentieth faster from L2, but much slower from L3 (1x4096x4096 in groups of 128,
  // Zen 4: 150 instead of 113 us).
  static constexpr int pairs = 3;
  static constexpr int rows = 2;
};
template <>
struct int4_dot<isa::amx> : int4_dot<isa::avx512vnni> {};
#endif

#if defined(__ARM_FEATURE_DOTPROD) && defined(__aarch64__)
template <>
struct int4_dot<isa::dotprod> : register_neon {
  static constexpr int pairs = 2;
  static constexpr int rows = 2;
  using pair = int4_pair<register_neon>;
  static constexpr int lines = INT_MAX;
  using sums = pair;

  [[gnu::always_inline]] static sums begin(const pair& x) { return x; }
  [[gnu::always_inline]] static pair split(vec x) {
    return {vandq_s32(x, vdupq_n_s32(0x0F0F0F0F)),
            vreinterpretq_s32_u8(vshrq_n_u8(vreinterpretq_u8_s32(x), 4))};
  }
  [[gnu::always_inline]] static pair unpack(vec x) { return split(x); }
  [[gnu::always_inline]] static void add(sums& s, const pair& values, vec a) {
    s.low = vdotq_s32(s.low, vreinterpretq_s8_s32(values.low), vreinterpretq_s8_s32(a));
    s.high = vdotq_s32(s.high, vreinterpretq_s8_s32(values.high), vreinterpretq_s8_s32(a));
  }
  static void carry(sums&) {}
  [[gnu::always_inline]] static pair total(const sums& s) { return s; }
};
template <>
struct int4_dot<isa::i8mm> : int4_dot<isa::dotprod> {};
#endif

}  // namespace ctq::kernels::simd
