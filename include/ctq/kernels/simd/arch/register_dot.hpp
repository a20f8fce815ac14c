// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "ctq/kernels/requantization.hpp"

// The int8 dot products of x86, for any width of register: of pairs of 16-bit integers (every
// instruction set has it), and of four bytes (VNNI).

namespace ctq::kernels::simd {

/// What both share. A block of N vecs holds N * lanes channels. In-lane packing wants four from
/// each vec side by side in every 128 bits, so that is where column() puts them.
template <class Isa, class Register>
struct register_dot : Register {
  using typename Register::vec;
  static constexpr int depthwise_rows = 2;

  /// The channel, within its block of `vectors` vecs, of a lane of one of them.
  [[nodiscard]] static constexpr int column(int vectors, int vector, int lane) {
    return lane / 4 * 4 * vectors + vector * 4 + lane % 4;
  }

  /// Requantizes a block and writes its first `count` channels.
  template <int N, class Out>
  [[gnu::always_inline]] static void store(const vec (&acc)[N], const float* multiplier,
                                           const output_steps& to, Out* out, int count) {
    const auto scaled = [&](int i) __attribute__((always_inline)) {
      return Register::scale(acc[i], multiplier + i * Register::lanes);
    };
    const auto words = [&](int i) __attribute__((always_inline)) {
      return Register::finish(Register::narrow(scaled(i), scaled(i + 1)), to);
    };
    if constexpr (N == 1) {
      Register::store(Register::finish(Register::narrow(scaled(0)), to), out, count);
    } else if constexpr (N == 2) {
      Register::store(words(0), out, count);
    } else {
      static_assert(N == 4);
      Register::store(words(0), words(2), out, count);
    }
  }
};

/// Activations and weights widened to 16 bits, vpmaddwd: exact, unlike vpmaddubsw, whose sums of
/// two products saturate.
template <class Isa, class Register>
struct int16_dot : register_dot<Isa, Register> {
  using typename Register::vec;
  using element = std::int16_t;
  using weight = std::int16_t;
  static constexpr int k_group = 2;

  template <class In>
  static constexpr int offset = 0;

  template <class In>
  [[gnu::always_inline]] static vec elements(const In* in) {
    return Register::widen(in);
  }
  [[gnu::always_inline]] static vec dot(vec acc, vec a, vec b) {
    return Register::add_products(acc, a, b);
  }
  /// In: two taps. Out: the taps of each channel side by side, in the order of column(2, ...).
  [[gnu::always_inline]] static void interleave(vec (&a)[2]) {
    const vec low = Register::zip_low16(a[0], a[1]);
    a[1] = Register::zip_high16(a[0], a[1]);
    a[0] = low;
  }
};

/// uint8 activations times int8 weights, vpdpbusd. int8 activations are moved by 128 on their way
/// into the workspace, and the bias takes that back.
template <class Isa, class Register, class Vnni>
struct vnni_dot : register_dot<Isa, Register> {
  using typename Register::vec;
  using element = std::uint8_t;
  using weight = std::int8_t;
  static constexpr int k_group = 4;

  /// Added to an activation of type In to make it an element.
  template <class In>
  static constexpr int offset = std::is_signed_v<In> ? 128 : 0;

  [[gnu::always_inline]] static vec elements(const std::int8_t* in) {
    return Register::flip_signs(Register::load(in));
  }
  [[gnu::always_inline]] static vec dot(vec acc, vec a, vec b) { return Vnni::dpbusd(acc, a, b); }

  /// In: four taps. Out: the taps of each channel side by side, in the order of column(4, ...).
  [[gnu::always_inline]] static void interleave(vec (&a)[4]) {
    const vec low01 = Register::zip_low8(a[0], a[1]);
    const vec low23 = Register::zip_low8(a[2], a[3]);
    const vec high01 = Register::zip_high8(a[0], a[1]);
    const vec high23 = Register::zip_high8(a[2], a[3]);
    a[0] = Register::zip_low16(low01, low23);
    a[1] = Register::zip_high16(low01, low23);
    a[2] = Register::zip_low16(high01, high23);
    a[3] = Register::zip_high16(high01, high23);
  }
};

}  // namespace ctq::kernels::simd
