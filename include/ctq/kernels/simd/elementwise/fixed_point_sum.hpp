// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "ctq/kernels/quantizer.hpp"

namespace ctq::kernels::simd {

/// The sum of two quantized values in units of the output's scale, in 32-bit fixed point with
/// `fraction` fractional bits:
///
///   sum(a, b) = start * 256 + a * multiplier_a + b * multiplier_b,  q = sum >> fraction
///
/// for a, b in 0 … 255, zero points folded into start. The definition of add rounds four times, so
/// this sum differs from it, but never by more than `error`. If the sum is not that close to a
/// rounding tie, both give the same integer. 2^near_bits >= 2 * error, and start contains half of
/// 2^near_bits, besides one half for rounding. So a sum is safe if its bits near_bits … fraction -
/// 1 are not all zero.
///
/// Error bound, in units of 2^-fraction: half a unit for each multiplier times |a - zero_point|;
/// 128 for start; for the float computation three times 2^-24 of the largest |x| + |y|.
struct fixed_point_sum {
  static constexpr int start_shift = 8;

  int fraction{};
  int near_bits{};
  std::int32_t multiplier_a{}, multiplier_b{};  // < 2^23
  std::int32_t start{};

  /// For uint8, or for int8 with values and zero points offset by 128. Inline, since with constant
  /// qparams all of it is constant (clang 19, 1 Ki on Zen 4: 72 instead of 87 ns).
  [[gnu::always_inline]] constexpr fixed_point_sum(float scale_a, int zero_a, float scale_b,
                                                   int zero_b, const quantizer& to, int zero_out) {
    const double a = double{scale_a} * to.inverse;
    const double b = double{scale_b} * to.inverse;
    const int most_a = std::max(zero_a, 255 - zero_a);
    const int most_b = std::max(zero_b, 255 - zero_b);
    const double most = most_a * a + most_b * b;
    fraction = 22;
    auto unit = static_cast<double>(1 << 22);
    while (fraction > 0 &&
           ((most + 258) * unit >= 0x7FFFFF00 || std::max(a, b) * unit >= 0x7FFF00)) {
      --fraction;
      unit /= 2;
    }
    if (fraction < least_fraction) return;
    multiplier_a = static_cast<std::int32_t>(a * unit + 0.5);
    multiplier_b = static_cast<std::int32_t>(b * unit + 0.5);
    const double error = 0.5 * (most_a + most_b) + 128 + most * unit * 0x3.1p-24;
    while ((1 << near_bits) < 2 * error) ++near_bits;
    const std::int64_t whole =
        (std::int64_t{zero_out} << fraction) + (std::int64_t{1} << fraction >> 1) +
        (std::int64_t{1} << near_bits >> 1) - std::int64_t{zero_a} * multiplier_a -
        std::int64_t{zero_b} * multiplier_b;
    start = static_cast<std::int32_t>((whole + 128) >> start_shift);
  }

  /// Whether few enough sums are close to a tie for this to pay off.
  [[nodiscard]] constexpr bool usable() const {
    return fraction >= least_fraction && fraction - near_bits >= 8;
  }
  /// A sum is safe if not all of these bits are zero.
  [[nodiscard]] constexpr std::int32_t safe_bits() const {
    return (1 << fraction) - (1 << near_bits);
  }

 private:
  static constexpr int least_fraction = 16;  // the kernels take q from the upper half of a sum
};

/// fixed_point_sum on a register of pairs of bytes; only AVX-512 has it.
template <class Isa>
class fixed_point_sum_lanes;

}  // namespace ctq::kernels::simd
