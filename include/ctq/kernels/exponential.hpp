// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstdint>

#include "ctq/core/no_contract.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"

// exp and log in a fixed order of operations, since those of the C library depend on the
// instruction set. kernels/simd/elementwise/exponential.hpp computes the same in registers.

namespace ctq::kernels {

namespace exponentials {

inline constexpr float least = -86.0F;  // below it the result is 0
inline constexpr float log2_e = 1.44269504F;
inline constexpr float ln2_high = 0.693359375F;    // its product with an integer is exact
inline constexpr float ln2_low = -2.12194440e-4F;  // ln(2) - ln2_high
/// Of the Taylor series, from the highest power on.
inline constexpr float factor[] = {1.0F / 5040, 1.0F / 720, 1.0F / 120, 1.0F / 24,
                                   1.0F / 6,    0.5F,       1.0F,       1.0F};

}  // namespace exponentials

/// exp(x) for x up to 0, within 2 units in the last place: 2^n * exp(r) with x = n ln(2) + r. NaN
/// stays NaN; below -86 the result is 0.
[[nodiscard]] inline float exp_of_negative(float x) noexcept {
  using namespace exponentials;
  const float shifted = no_contract(x * log2_e) + round_to_integer;
  const float n = shifted - round_to_integer;
  const float r = (x - no_contract(n * ln2_high)) - no_contract(n * ln2_low);
  float y = factor[0];
  for (int i = 1; i < 8; ++i) y = no_contract(y * r) + factor[i];
  const auto bits = std::bit_cast<std::uint32_t>(y);
  const auto power = std::bit_cast<std::uint32_t>(shifted) << 23;
  const float scaled = std::bit_cast<float>(bits + power);
  if (x != x) return x;
  return x < least ? 0.0F : scaled;
}

/// The natural logarithm of a normal number above 0, within 1e-9 of the exact one; NaN stays NaN.
[[nodiscard]] inline double log_of_sum(double x) noexcept {
  if (!(x > 0.0)) return x;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  double m = std::bit_cast<double>((bits & 0xfffffffffffffU) | 0x3ff0000000000000U);
  if (m > 1.41421356) {
    m *= 0.5;
    exponent += 1.0;
  }
  // log(m) = 2 artanh(s)
  const double s = (m - 1.0) / (m + 1.0);
  const double square = no_contract(s * s);
  double sum = 1.0 / 15;
  for (int i = 13; i >= 1; i -= 2) sum = no_contract(sum * square) + 1.0 / i;
  return no_contract(2.0 * s * sum) + no_contract(exponent * 0.69314718055994531);
}

}  // namespace ctq::kernels
