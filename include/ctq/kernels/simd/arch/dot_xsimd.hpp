// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "ctq/core/isa.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/xsimd.hpp"

// Dot products in xsimd: float32 on every instruction set, int32 on those without an int8 dot
// product.

namespace ctq::kernels::simd {

template <class Isa, class T>
struct xsimd_dot {
  using element = T;
  using weight = T;
  using vec = batch<Isa, T>;
  static constexpr int lanes = static_cast<int>(vec::size);
  static constexpr int k_group = 1;
  static constexpr int depthwise_rows = 4;
  template <class In>
  static constexpr int offset = 0;

  [[gnu::always_inline]] static vec load(const void* p) {
    return vec::load_unaligned(static_cast<const T*>(p));
  }
  /// Keeps the element in a register: clang would reload it at each use, and loads limit the loop
  /// (3x3 conv, 32 to 32 channels, Zen 4: 46 instead of 31 us).
  [[gnu::always_inline]] static vec broadcast(const void* p) {
    return vec(no_contract(vec(*static_cast<const T*>(p)).data));
  }
  [[gnu::always_inline]] static void interleave(vec (&)[1]) {}
  [[nodiscard]] static constexpr int column(int, int vector, int lane) {
    return vector * lanes + lane;
  }
  template <class To>
  [[nodiscard]] static constexpr To store_constants(const To& to) {
    return to;
  }
};

template <class Isa>
struct float_xsimd_dot : xsimd_dot<Isa, float> {
  using vec = batch<Isa, float>;
  static constexpr int lanes = xsimd_dot<Isa, float>::lanes;
  // Two vecs of accumulators per row, two of weights and one activation, in 16 or 32 registers;
  // without fma also a product.
  static constexpr int tile_rows = isa::includes<Isa, isa::avx512> ? 14 : has_fma<Isa> ? 6 : 4;

  [[gnu::always_inline]] static vec dot(const vec& acc, const vec& a, const vec& b) {
    if constexpr (has_fma<Isa>) {
      return fma<Isa>(a, b, acc);
    } else {
      return acc + rounded<Isa>(a * b);
    }
  }
  /// The lower bound of the outputs, to which smaller ones are raised; NaN remains NaN.
  [[nodiscard, gnu::always_inline]] static vec store_constants(bool relu) {
    return vec(relu ? 0.0F : -std::numeric_limits<float>::infinity());
  }
  template <int N>
  [[gnu::always_inline]] static void store(const vec (&acc)[N], const float*, const vec& least,
                                           float* out, int count) {
    vec x[N];
    for (int i = 0; i < N; ++i) x[i] = xsimd::select(acc[i] < least, least, acc[i]);
    if (count >= N * lanes) {
      for (int i = 0; i < N; ++i) x[i].store_unaligned(out + i * lanes);
    } else {
      float kept[N * lanes];
      for (int i = 0; i < N; ++i) x[i].store_unaligned(kept + i * lanes);
      std::memcpy(out, kept, static_cast<std::size_t>(count) * sizeof(float));
    }
  }
};

template <class Isa>
struct int32_xsimd_dot : xsimd_dot<Isa, std::int32_t> {
  using vec = batch<Isa, std::int32_t>;
  static constexpr int lanes = xsimd_dot<Isa, std::int32_t>::lanes;
  static constexpr int tile_rows = 6;

  [[gnu::always_inline]] static vec dot(const vec& acc, const vec& a, const vec& b) {
    return acc + a * b;
  }
  template <int N, class Out>
  [[gnu::always_inline]] static void store(const vec (&acc)[N], const float* multiplier,
                                           const output_range& to, Out* out, int count) {
    using floats = batch<Isa, float>;
    std::int32_t q[N * lanes];
    for (int i = 0; i < N; ++i) {
      const floats scaled =
          xsimd::to_float(acc[i]) * floats::load_unaligned(multiplier + i * lanes);
      const vec stepped = xsimd::to_int(xsimd::nearbyint(scaled)) + vec(to.zero_point);
      xsimd::min(xsimd::max(stepped, vec(to.lo)), vec(to.hi)).store_unaligned(q + i * lanes);
    }
    for (int i = 0; i < std::min(N * lanes, count); ++i) out[i] = static_cast<Out>(q[i]);
  }
};

}  // namespace ctq::kernels::simd
