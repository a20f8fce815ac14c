// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>

namespace ctq {

/// The largest number of half precision.
inline constexpr float largest_float16 = 65504.0F;

/// Rounds to half precision.
/// Rounding  to nearest, ties to even; what is too large becomes infinite
[[nodiscard]] inline float rounded_to_float16(float x) {
  if (!std::isfinite(x) || x == 0.0F) return x;
  const int exponent = std::max(std::ilogb(x), -14);
  const float unit = std::ldexp(1.0F, exponent - 10);
  const float y = std::nearbyint(x / unit) * unit;
  return std::abs(y) > largest_float16 ? std::copysign(HUGE_VALF, x) : y;
}

/// The same for a weight: what is too large becomes the largest number, as in PyTorch.
[[nodiscard]] inline float weight_in_float16(float x) {
  return rounded_to_float16(std::clamp(x, -largest_float16, largest_float16));
}

}  // namespace ctq
