// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

#include "ctq/core/no_contract.hpp"
#include "ctq/kernels/exponential.hpp"

// The activation functions of the gates of recurrent cells, computed from the exponential of
// kernels/exponential.hpp, so that they are the same on every instruction set.
// kernels/simd/elementwise/recurrent_gates.hpp computes the same in registers.

namespace ctq::kernels {

/// 1 / (1 + exp(-x)), within 2e-7 of the exact one. NaN stays NaN.
[[nodiscard]] inline float gate_sigmoid(float x) noexcept {
  const float e = exp_of_negative(-std::fabs(x));
  const float s = 1.0F / (1.0F + e);
  return x < 0.0F ? e * s : s;
}

/// tanh(x), within 2e-7 of the exact one. NaN stays NaN.
[[nodiscard]] inline float gate_tanh(float x) noexcept {
  // On ARM a multiply-subtract would change the sign of NaN.
  const float e = no_contract(exp_of_negative(-2.0F * std::fabs(x)));
  const float t = (1.0F - e) / (1.0F + e);
  return x < 0.0F ? 0.0F - t : t;  // not -0
}

}  // namespace ctq::kernels
