// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

#include "ctq/core/no_contract.hpp"

// Activation functions of one float32 value, as PyTorch defines them. NaN gives NaN.

namespace ctq::kernels::functions {

/// As std::clamp, but hi takes precedence if lo > hi, and NaN gives NaN.
inline float clamp(float x, float lo, float hi) noexcept {
  x = x < lo ? lo : x;
  return x > hi ? hi : x;
}
inline float relu(float x) noexcept { return x < 0.0F ? 0.0F : x; }
inline float relu6(float x) noexcept { return clamp(x, 0.0F, 6.0F); }
inline float hardsigmoid(float x) noexcept { return relu6(x + 3.0F) / 6.0F; }
inline float hardswish(float x) noexcept { return x * relu6(x + 3.0F) / 6.0F; }
inline float sigmoid(float x) noexcept { return 1.0F / (1.0F + std::exp(-x)); }
inline float tanh(float x) noexcept { return std::tanh(x); }
inline float silu(float x) noexcept { return x / (1.0F + std::exp(-x)); }
inline float mish(float x) noexcept { return x * std::tanh(std::log1p(std::exp(x))); }
inline float log_sigmoid(float x) noexcept {
  return (x < 0.0F ? x : 0.0F) - std::log1p(std::exp(-std::abs(x)));
}
inline float gelu(float x) noexcept { return x * 0.5F * (1.0F + std::erf(x * 0.70710678F)); }
inline float gelu_tanh(float x) noexcept {
  const float inner = 0.79788456F * (x + no_contract(0.044715F * x * x * x));
  return 0.5F * x * (1.0F + std::tanh(inner));
}
inline float selu(float x) noexcept {
  return 1.05070099F * (x > 0.0F ? x : 1.67326324F * std::expm1(x));
}
inline float square(float x) noexcept { return x * x; }
inline float exp(float x) noexcept { return std::exp(x); }
inline float log(float x) noexcept { return std::log(x); }
inline float sqrt(float x) noexcept { return std::sqrt(x); }
inline float rsqrt(float x) noexcept { return 1.0F / std::sqrt(x); }
inline float abs(float x) noexcept { return std::abs(x); }
inline float neg(float x) noexcept { return -x; }

}  // namespace ctq::kernels::functions
