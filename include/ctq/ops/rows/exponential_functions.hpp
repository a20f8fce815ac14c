// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/no_contract.hpp"
#include "ctq/ops/rows/double_lanes.hpp"

// exp, and what is made of it among the functions that backends quantize: sigmoid, tanh and ELU.

namespace ctq::descriptors::functions {

namespace double_lanes {

/// exp(x - origin)
struct exp_from {
  float origin = 0.0F;

  template <class Lanes, class Doubles>
  [[nodiscard, gnu::always_inline]] Doubles operator()(std::type_identity<Lanes>,
                                                       const Doubles& x) const noexcept {
    return exp<Lanes>(x - static_cast<double>(origin));
  }
};

struct sigmoid {
  template <class Lanes, class Doubles>
  [[nodiscard, gnu::always_inline]] Doubles operator()(std::type_identity<Lanes>,
                                                       const Doubles& x) const noexcept {
    return 1.0 / (exp<Lanes>(-x) + 1.0);
  }
};

/// With t = exp(2 x) - 1, t / (t + 2).
struct tanh {
  template <class Lanes, class Doubles>
  [[nodiscard, gnu::always_inline]] Doubles operator()(std::type_identity<Lanes>,
                                                       const Doubles& x) const noexcept {
    constexpr double most = 20.0;  // from 9.1 on, a float is 1
    const Doubles end = all<Lanes>(most);
    const Doubles bounded = x > end ? end : x < -end ? -end : x;
    const Doubles t = expm1<Lanes>(bounded + bounded);
    return t / (t + 2.0);
  }
};

/// above * x for positive numbers, else below * (exp(x / divisor) - 1): ELU, SELU and CELU.
struct elu {
  double above, below, divisor;

  template <class Lanes, class Doubles>
  [[nodiscard, gnu::always_inline]] Doubles operator()(std::type_identity<Lanes>,
                                                       const Doubles& x) const noexcept {
    // exp of the ends is 0 and infinite as a float.
    const Doubles least = all<Lanes>(-110.0), most = all<Lanes>(110.0), zero = all<Lanes>(0.0);
    const Doubles scaled = x / divisor;
    const Doubles bounded = scaled < least ? least : scaled > most ? most : scaled;
    const Doubles exponential = no_contract(expm1<Lanes>(bounded) * below);
    return x > zero ? no_contract(x * above) : exponential;
  }
};

}  // namespace double_lanes

[[nodiscard]] inline float exp(float x) noexcept {
  return double_lanes::value_of<double_lanes::exp_from>(x);
}
[[nodiscard]] inline float sigmoid(float x) noexcept {
  return double_lanes::value_of<double_lanes::sigmoid>(x);
}
[[nodiscard]] inline float tanh(float x) noexcept {
  return double_lanes::value_of<double_lanes::tanh>(x);
}

}  // namespace ctq::descriptors::functions
