// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/no_contract.hpp"
#include "ctq/ops/rows/double_lanes.hpp"

// Activations of transformers, EfficientNet and YOLO that PyTorch's backends leave in float.

namespace ctq::descriptors::functions {

namespace double_lanes {

/// x * Φ(x), with the distribution function Φ of normal numbers, (1 + erf(x / sqrt(2))) / 2.
struct gelu {
  template <class Lanes, class Doubles>
  [[nodiscard, gnu::always_inline]] Doubles operator()(std::type_identity<Lanes>,
                                                       const Doubles& x) const noexcept {
    // x * p(x²) / q(x²) is erf(x / sqrt(2)) within 3e-9, for |x| <= most; beyond, that is within
    // 7e-9 of 1 or -1.
    constexpr double most = 5.8;
    const Doubles square = no_contract(x * x), one = all<Lanes>(1.0), end = all<Lanes>(most);
    const Doubles p =
        polynomial<Lanes>(square, -1.494191562e-10, 1.048829512e-07, 1.687907097e-05,
                          0.0003409287635, 0.009611693463, 0.06548519139, 0.7978845626);
    const Doubles q = polynomial<Lanes>(square, 1.990459248e-06, 8.201424273e-05, 0.001935661921,
                                        0.0285030339, 0.2487402266, 1.0);
    const Doubles erf = no_contract(x * p) / q;
    const Doubles bounded = x > end ? one : x < -end ? -one : erf;
    return no_contract(x * 0.5) * (one + bounded);
  }
};

/// x / 2 * (1 + tanh(u)) = x / (1 + exp(-2 u)), where u = sqrt(2 / pi) * (x + 0.044715 x³).
struct gelu_tanh {
  template <class Lanes, class Doubles>
  [[nodiscard, gnu::always_inline]] Doubles operator()(std::type_identity<Lanes>,
                                                       const Doubles& x) const noexcept {
    constexpr double minus_2_u = -1.5957691216057308;
    const Doubles cube = no_contract(no_contract(x * x) * x);
    return x / (exp<Lanes>(minus_2_u * (x + no_contract(cube * 0.044715))) + 1.0);
  }
};

/// x tanh(ln(1 + w)) = x w (w + 2) / (w (w + 2) + 2), where w = exp(x).
struct mish {
  template <class Lanes, class Doubles>
  [[nodiscard, gnu::always_inline]] Doubles operator()(std::type_identity<Lanes>,
                                                       const Doubles& x) const noexcept {
    constexpr double most = 40.0;  // beyond, the quotient is 1
    const Doubles end = all<Lanes>(most);
    const Doubles w = exp<Lanes>(x > end ? end : x);
    const Doubles n = no_contract(w * (w + 2.0));
    return no_contract(x * n) / (n + 2.0);
  }
};

/// x times the sigmoid of x.
struct silu {
  template <class Lanes, class Doubles>
  [[nodiscard, gnu::always_inline]] Doubles operator()(std::type_identity<Lanes>,
                                                       const Doubles& x) const noexcept {
    return x / (exp<Lanes>(-x) + 1.0);
  }
};

}  // namespace double_lanes

[[nodiscard]] inline float mish(float x) noexcept {
  return double_lanes::value_of<double_lanes::mish>(x);
}

}  // namespace ctq::descriptors::functions
