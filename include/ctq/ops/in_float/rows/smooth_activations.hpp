// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>

#include "ctq/ops/in_float/rows/double_lanes.hpp"

// The activations of transformers and of EfficientNet that PyTorch's backends leave in float, and
// the exp of their softmax.

namespace ctq::descriptors::functions {

namespace double_lanes {

/// x * Φ(x), with the distribution function Φ of normal numbers, (1 + erf(x / sqrt(2))) / 2.
template <class Lanes>
[[nodiscard, gnu::always_inline]] inline typename Lanes::doubles gelu(
    const typename Lanes::doubles& x) noexcept {
  using doubles = typename Lanes::doubles;
  // x * p(x²) / q(x²) is erf(x / sqrt(2)) within 3e-9, for |x| <= most; beyond, that is within 7e-9
  // of 1 or -1.
  constexpr double most = 5.8;
  constexpr double p[] = {-1.494191562e-10, 1.048829512e-07, 1.687907097e-05, 0.0003409287635,
                          0.009611693463,   0.06548519139,   0.7978845626};
  constexpr double q[] = {1.990459248e-06, 8.201424273e-05, 0.001935661921,
                          0.0285030339,    0.2487402266,    1.0};
  const doubles square = no_contract(x * x), one = all<Lanes>(1.0), end = all<Lanes>(most);
  const doubles erf = no_contract(x * polynomial<Lanes>(square, p)) / polynomial<Lanes>(square, q);
  const doubles bounded = x > end ? one : x < -end ? -one : erf;
  return no_contract(x * 0.5) * (one + bounded);
}

/// x / 2 * (1 + tanh(u)) = x / (1 + exp(-2 u)), where u = sqrt(2 / pi) * (x + 0.044715 x³).
template <class Lanes>
[[nodiscard, gnu::always_inline]] inline typename Lanes::doubles gelu_tanh(
    const typename Lanes::doubles& x) noexcept {
  constexpr double minus_2_u = -1.5957691216057308;
  const auto cube = no_contract(no_contract(x * x) * x);
  return x / (exp<Lanes>(minus_2_u * (x + no_contract(cube * 0.044715))) + 1.0);
}

/// x times the sigmoid of x.
template <class Lanes>
[[nodiscard, gnu::always_inline]] inline typename Lanes::doubles silu(
    const typename Lanes::doubles& x) noexcept {
  return x / (exp<Lanes>(-x) + 1.0);
}

}  // namespace double_lanes

[[nodiscard]] inline float gelu(float x) noexcept {
  return static_cast<float>(double_lanes::gelu<double_lanes::one>(static_cast<double>(x)));
}
[[nodiscard]] inline float gelu_tanh(float x) noexcept {
  return static_cast<float>(double_lanes::gelu_tanh<double_lanes::one>(static_cast<double>(x)));
}
[[nodiscard]] inline float silu(float x) noexcept {
  return static_cast<float>(double_lanes::silu<double_lanes::one>(static_cast<double>(x)));
}

// The functions of each of `count` elements, which may be replaced by the results.

template <class Isa>
[[gnu::noinline]] void gelu_of_row(const float* x, std::size_t count, float* y) noexcept {
  double_lanes::for_row<Isa>(
      x, count, y,
      []<class Lanes>(std::type_identity<Lanes>, const typename Lanes::doubles& v)
          __attribute__((always_inline)) { return double_lanes::gelu<Lanes>(v); });
}
template <class Isa>
[[gnu::noinline]] void gelu_tanh_of_row(const float* x, std::size_t count, float* y) noexcept {
  double_lanes::for_row<Isa>(
      x, count, y,
      []<class Lanes>(std::type_identity<Lanes>, const typename Lanes::doubles& v)
          __attribute__((always_inline)) { return double_lanes::gelu_tanh<Lanes>(v); });
}
template <class Isa>
[[gnu::noinline]] void silu_of_row(const float* x, std::size_t count, float* y) noexcept {
  double_lanes::for_row<Isa>(
      x, count, y,
      []<class Lanes>(std::type_identity<Lanes>, const typename Lanes::doubles& v)
          __attribute__((always_inline)) { return double_lanes::silu<Lanes>(v); });
}
/// exp(x - origin).
template <class Isa>
[[gnu::noinline]] void exp_of_row(const float* x, std::size_t count, float origin,
                                  float* y) noexcept {
  double_lanes::for_row<Isa>(
      x, count, y,
      [origin]<class Lanes>(std::type_identity<Lanes>, const typename Lanes::doubles& v)
          __attribute__((always_inline)) {
            return double_lanes::exp<Lanes>(v - static_cast<double>(origin));
          });
}

}  // namespace ctq::descriptors::functions
