// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "ctq/core/no_contract.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"

// exp and log in a fixed order of operations, since those of the C library depend on the
// instruction set. kernels/simd/elementwise/exponential.hpp computes the same in registers.

namespace ctq::kernels {

namespace exponentials {

inline constexpr float least = -88.0F;  // n is -127 for it; 2^n, and so the result, is 0
inline constexpr float log2_e = 1.44269504F;
/// For |x| < 2^21 the lowest eight bits of x + round_to_exponent are rne(x) + 127, the exponent of
/// the float 2^rne(x).
inline constexpr float round_to_exponent = round_to_integer + 127.0F;
// ln(2) in two parts of 16 bits: the products with an integer of 7 bits are exact, with and without
// a fused multiply-add.
inline constexpr float ln2_high = 0x1.62e4p-1F, ln2_low = 0x1.7f7ep-20F;
/// Coefficients, from the highest power on, of the polynomial of degree 5 that is 1 at 0 and
/// closest to exp on [-ln(2) / 2, ln(2) / 2], within 9.2e-8.
inline constexpr float factor[] = {0.00829030644724F, 0.0418982050229F, 0.166676379819F,
                                   0.499991475182F,   0.99999970625F,   1.0F};

}  // namespace exponentials

/// exp(x) for x up to 0, within 2 units in the last place: 2^n * exp(r) with x = n ln(2) + r. NaN
/// stays NaN; below -126.5 ln(2), -87.68, the result is 0.
[[nodiscard]] inline float exp_of_negative(float x) noexcept {
  using namespace exponentials;
  const float bounded = x < least ? least : x;
  const float shifted = std::fma(bounded, log2_e, round_to_exponent);
  const float n = shifted - round_to_exponent;
  const float r = std::fma(n, -ln2_low, std::fma(n, -ln2_high, bounded));
  float y = factor[0];
  for (int i = 1; i < 6; ++i) y = std::fma(y, r, factor[i]);
  return y * std::bit_cast<float>(std::bit_cast<std::uint32_t>(shifted) << 23);
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
