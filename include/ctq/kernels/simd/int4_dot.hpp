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

/// What linear_weight_int4 asks of an instruction set. A line is a register of packed weights: for
/// each of its lanes, one a channel, four bytes of eight values, the first four in the low halves.
///
///   vec, lanes       a register of 32-bit integers
///   vectors, rows    registers of channels, and rows of activations, at once
///   halves           the values of a line, each in a byte: `low` and `high`
///   sums             of 32 bits, on their way
///   lines            how many lines they can take before they must be carried
///   split(p)         the halves of a line
///   broadcast(p)     four activations, in each lane
///   begin(x)         sums that start from x
///   add(s, v, a, b)  adds to sums the products of low values with a, of high ones with b
///   carry(s)         makes room for more lines
///   total(s)         the sums
///   of_row           optional: what is better for one row of activations, on the same lines
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
  struct halves {
    vec low, high;
  };
  using sums = vec;

  static sums begin(vec x) { return x; }
  static halves split(const void* line) {
    const vec x = broadcast(line);
    return {x & 0x0F0F0F0F, x >> 4 & 0x0F0F0F0F};
  }
  static vec broadcast(const void* p) {
    vec x;
    std::memcpy(&x, p, sizeof x);
    return x;
  }
  static void add(sums& s, const halves& values, vec a, vec b) {
    for (int i = 0; i < 32; i += 8) {
      s += (values.low >> i & 15) * static_cast<std::int8_t>(a >> i & 255) +
           (values.high >> i & 15) * static_cast<std::int8_t>(b >> i & 255);
    }
  }
  static void carry(sums&) {}
  static vec total(sums s) { return s; }
};

/// Pairs of products in 16 bits, with vpmaddubsw, which every x86 has.
template <class Register>
struct int4_pairs : Register {
  using typename Register::vec;
  static constexpr int lines = 4;  // 8 * 2 * 15 * 128 < 2^15
  struct halves {
    vec low, high;
  };
  struct sums {
    vec acc, words;
  };

  [[gnu::always_inline]] static sums begin(vec x) { return {x, vec{}}; }
  [[gnu::always_inline]] static halves split(const void* line) {
    const vec x = Register::load(line);
    return {Register::low(x), Register::low(Register::shifted(x))};
  }
  [[gnu::always_inline]] static void add(sums& s, const halves& values, vec a, vec b) {
    s.words = Register::add_pairs(Register::add_pairs(s.words, values.low, a), values.high, b);
  }
  [[gnu::always_inline]] static void carry(sums& s) { s = begin(total(s)); }
  [[gnu::always_inline]] static vec total(const sums& s) {
    return Register::add_words(s.acc, s.words);
  }
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
  struct halves {
    vec low, high;
  };
  using sums = vec;

  [[gnu::always_inline]] static sums begin(vec x) { return x; }
  [[gnu::always_inline]] static halves split(const void* line) {
    vec x = Register::load(line);
    Register::keep(x);
    return {Register::low(x), Register::low(Register::shifted(x))};
  }
  [[gnu::always_inline]] static void add(sums& s, const halves& values, vec a, vec b) {
    s = Vnni::dpbusd(Vnni::dpbusd(s, values.low, a), values.high, b);
  }
  static void carry(sums&) {}
  [[gnu::always_inline]] static vec total(sums s) { return s; }
};

/// The same for one row: high values stay where they are in their bytes, sixteen times as large,
/// with sums of their own. That spares an instruction a line (1x1024x1024 in groups of 128, Zen 4,
/// clang: 5.8 instead of 7.2 us) but takes twice the registers.
template <class Register, class Vnni>
struct int4_quads_of_row : Register {
  using typename Register::vec;
  static constexpr int lines = 1 << 14;  // 4 * 240 * 128 of each
  struct halves {
    vec low, high;
  };
  struct sums {
    vec low, high;
  };

  [[gnu::always_inline]] static sums begin(vec x) { return {x, vec{}}; }
  [[gnu::always_inline]] static halves split(const void* line) {
    vec x = Register::load(line);
    Register::keep(x);
    return {Register::low(x), Register::high(x)};
  }
  [[gnu::always_inline]] static void add(sums& s, const halves& values, vec a, vec b) {
    s.low = Vnni::dpbusd(s.low, values.low, a);
    s.high = Vnni::dpbusd(s.high, values.high, b);
  }
  [[gnu::always_inline]] static void carry(sums& s) { s = begin(total(s)); }
  [[gnu::always_inline]] static vec total(const sums& s) {
    return Register::plus(s.low, Register::sixteenth(s.high));
  }
};

#if defined(__AVXVNNI__) && defined(__AVX2__)
template <>
struct int4_dot<isa::avxvnni> : int4_quads<int4_register256, avxvnni_instructions> {
  using of_row = int4_quads_of_row<int4_register256, avxvnni_instructions>;
  static constexpr int vectors = 2;
  static constexpr int rows = 2;
};
#endif

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__) && defined(__AVX512VNNI__)
template <>
struct int4_dot<isa::avx512vnni> : int4_quads<int4_register512, avx512vnni_instructions> {
  using of_row = int4_quads_of_row<int4_register512, avx512vnni_instructions>;
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
  struct halves {
    vec low, high;
  };
  using sums = vec;

  [[gnu::always_inline]] static sums begin(vec x) { return x; }
  [[gnu::always_inline]] static halves split(const void* line) {
    const vec x = load(line);
    return {vandq_s32(x, vdupq_n_s32(0x0F0F0F0F)),
            vreinterpretq_s32_u8(vshrq_n_u8(vreinterpretq_u8_s32(x), 4))};
  }
  [[gnu::always_inline]] static void add(sums& s, const halves& values, vec a, vec b) {
    s = vdotq_s32(s, vreinterpretq_s8_s32(values.low), vreinterpretq_s8_s32(a));
    s = vdotq_s32(s, vreinterpretq_s8_s32(values.high), vreinterpretq_s8_s32(b));
  }
  static void carry(sums&) {}
  [[gnu::always_inline]] static vec total(sums s) { return s; }
};
template <>
struct int4_dot<isa::i8mm> : int4_dot<isa::dotprod> {};
#endif

/// What so many rows of activations take.
template <class Dot, int Rows>
struct int4_rows {
  using dot = Dot;
};
template <class Dot>
requires requires { typename Dot::of_row; }
struct int4_rows<Dot, 1> {
  using dot = typename Dot::of_row;
};

}  // namespace ctq::kernels::simd
