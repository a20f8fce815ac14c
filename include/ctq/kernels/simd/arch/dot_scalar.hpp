// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "ctq/core/no_contract.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/kernels/reference/requantize.hpp"

// Registers of one lane: portable C++ for machines without SIMD, used by the same blocked core.

namespace ctq::kernels::simd {

template <class Isa, class T>
struct scalar_dot {
  using element = T;
  using weight = T;
  using vec = T;
  static constexpr int lanes = 1;
  static constexpr int k_group = 1;
  template <class In>
  static constexpr int offset = 0;
  static constexpr int tile_rows = 4;
  static constexpr int depthwise_rows = 4;

  [[gnu::always_inline]] static vec load(const void* p) {
    vec x;
    std::memcpy(&x, p, sizeof x);
    return x;
  }
  [[gnu::always_inline]] static vec broadcast(const void* p) { return load(p); }
  [[gnu::always_inline]] static void interleave(vec (&)[1]) {}
  [[nodiscard]] static constexpr int column(int, int vector, int) { return vector; }
  template <class To>
  [[nodiscard]] static constexpr To store_constants(const To& to) {
    return to;
  }
};

template <class Isa>
struct float_scalar_dot : scalar_dot<Isa, float> {
  [[gnu::always_inline]] static float dot(float acc, float a, float b) {
    return acc + no_contract(a * b);
  }
  template <int N>
  [[gnu::always_inline]] static void store(const float (&acc)[N], const float*, bool relu,
                                           float* out, int count) {
    for (int i = 0; i < std::min(N, count); ++i) out[i] = relu && acc[i] < 0.0F ? 0.0F : acc[i];
  }
};

template <class Isa>
struct int32_scalar_dot : scalar_dot<Isa, std::int32_t> {
  [[gnu::always_inline]] static std::int32_t dot(std::int32_t acc, std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(acc) +
                                     static_cast<std::uint32_t>(a * b));
  }
  template <int N, class Out>
  [[gnu::always_inline]] static void store(const std::int32_t (&acc)[N], const float* multiplier,
                                           const output_range& to, Out* out, int count) {
    for (int i = 0; i < std::min(N, count); ++i) {
      out[i] = static_cast<Out>(reference::requantize(acc[i], multiplier[i], to));
    }
  }
};

}  // namespace ctq::kernels::simd
