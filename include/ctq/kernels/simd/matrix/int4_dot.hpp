// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <climits>
#include <cstdint>
#include <cstring>

#include "ctq/core/no_contract.hpp"

namespace ctq::kernels::simd {

/// The interface between linear_weight_int4 and an instruction set. A line is a register of packed
/// weights for two registers of channels: each lane has four bytes, whose low halves are four
/// values of one channel, and the high halves those of the channel `lanes` later.
///
///   vec, lanes    a register of 32-bit integers
///   pairs, rows   lines, that is pairs of registers of channels, and rows of activations, computed
///                 at once
///   pair          `low` and `high`: values of a line, each in a byte, or their accumulators
///   sums          partial accumulators
///   lines         the number of lines after which `carry` must be called
///   load, save    a register
///   split(x)      the values of a line; the high ones may be sixteen times as large
///   unpack(x)     the two numbers in the first byte of each lane
///   broadcast(p)  four activations, in each lane
///   begin(x)      sums with the initial value x, a pair
///   add(s, v, a)  adds to sums the products of values with a
///   carry(s)      adds narrow sums to wide ones, so that they do not overflow
///   total(s)      the accumulators, a pair
///
/// Values are not negative: they are the unsigned operand of the byte products of x86, activations
/// are the signed one. This is the portable version, with one lane.
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

/// The low and the high half of each byte of an x86 register.
template <class Register, class Vec = typename Register::vec>
[[gnu::always_inline]] inline Vec low_halves(Vec x) {
  return x & Register::template each<std::int8_t>(15);
}
template <class Register, class Vec = typename Register::vec>
[[gnu::always_inline]] inline Vec high_halves(Vec x) {
  return x & Register::template each<std::int8_t>(-16);
}

/// Two products in 16 bits, with pmaddubsw of SSSE3, which register_sse2 emulates.
template <class Register>
struct int4_words : Register {
  using typename Register::vec;
  using pair = int4_pair<Register>;
  static constexpr int pairs = 2;
  static constexpr int rows = 2;
  static constexpr int lines = 8;  // 8 * 2 * 15 * 128 < 2^15
  using words = typename Register::template of<std::int16_t>;
  struct sums {
    pair acc;
    words low, high;
  };

  [[gnu::always_inline]] static sums begin(const pair& x) { return {x, words{}, words{}}; }
  [[gnu::always_inline]] static pair split(vec x) {
    const auto shifted = reinterpret_cast<vec>(Register::template as<std::uint16_t>(x) >> 4);
    return {low_halves<Register>(x), low_halves<Register>(shifted)};
  }
  [[gnu::always_inline]] static pair unpack(vec x) { return split(x); }
  [[gnu::always_inline]] static void add(sums& s, const pair& values, vec a) {
    s.low += reinterpret_cast<words>(Register::products8(values.low, a));
    s.high += reinterpret_cast<words>(Register::products8(values.high, a));
  }
  [[gnu::always_inline]] static void carry(sums& s) { s = begin(total(s)); }
  [[gnu::always_inline]] static pair total(const sums& s) {
    const vec one = Register::template each<std::int16_t>(1);
    return {Register::add_products(s.acc.low, reinterpret_cast<vec>(s.low), one),
            Register::add_products(s.acc.high, reinterpret_cast<vec>(s.high), one)};
  }
};

/// Four products at once. The high values remain in the high halves of bytes, which saves a shift
/// per line; their sums are sixteen times as large.
template <class Register, class Vnni>
struct int4_quads : Register {
  using typename Register::vec;
  using pair = int4_pair<Register>;
  static constexpr int pairs = 2;
  static constexpr int rows = 2;
  static constexpr int lines = 1 << 14;  // 4 * 240 * 128 of each
  struct sums {
    vec low, high;
    vec start;  // the initial value of the high ones, not multiplied by sixteen
  };

  [[gnu::always_inline]] static sums begin(const pair& x) { return {x.low, vec{}, x.high}; }
  [[gnu::always_inline]] static pair split(vec x) {
    x = no_contract(x);  // keeps it in a register: g++ 12 would reload it
    return {low_halves<Register>(x), high_halves<Register>(x)};
  }
  [[gnu::always_inline]] static pair unpack(vec x) {
    return {low_halves<Register>(x), sixteenth(x)};
  }
  [[gnu::always_inline]] static void add(sums& s, const pair& values, vec a) {
    s.low = Vnni::dpbusd(s.low, values.low, a);
    s.high = Vnni::dpbusd(s.high, values.high, a);
  }
  [[gnu::always_inline]] static void carry(sums& s) { s = begin(total(s)); }
  [[gnu::always_inline]] static pair total(const sums& s) {
    const auto high = Register::template as<std::int32_t>(sixteenth(s.high));
    return {s.low, reinterpret_cast<vec>(Register::template as<std::int32_t>(s.start) + high)};
  }

 private:
  [[gnu::always_inline]] static vec sixteenth(vec x) {
    return reinterpret_cast<vec>(Register::template as<std::int32_t>(x) >> 4);
  }
};

}  // namespace ctq::kernels::simd
