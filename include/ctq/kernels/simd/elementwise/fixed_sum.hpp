// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "ctq/kernels/quantizer.hpp"

namespace ctq::kernels::simd {

/// The sum of two quantized numbers in steps of the output, as one integer with `fraction` bits
/// behind the point:
///
///   sum(a, b) = start * 256 + a * multiplier_a + b * multiplier_b,  q = sum >> fraction
///
/// for a, b of 0 … 255, zero points folded in. The definition of add rounds four times on its way,
/// so this is another number, but never by more than `error`; where rounding is not a matter of so
/// little, both give the same integer. 2^near_bits >= 2 * error, and start holds half of it beside
/// the half step of rounding: a sum is safe if its bits near_bits … fraction - 1 are not all zero.
///
/// The errors, in units of 2^-fraction: half a unit for each multiplier, a - zero_point times;
/// start, half of 256; and of the floats three times 2^-24 of the largest |x| + |y|.
struct fixed_sum {
  static constexpr int start_shift = 8;

  int fraction{};
  int near_bits{};
  std::int32_t multiplier_a{}, multiplier_b{};  // < 2^23
  std::int32_t start{};

  /// For uint8, or for int8 plus 128 with zero points that were moved as well. Inline, since
  /// qparams are often constants, and then so is all of it (clang 19, 1 Ki on Zen 4: 72 instead of
  /// 87 ns).
  [[gnu::always_inline]] constexpr fixed_sum(float scale_a, int zero_a, float scale_b, int zero_b,
                                             const quantizer& to, int zero_out) {
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

  /// Whether few enough sums are near a tie to make this worth while.
  [[nodiscard]] constexpr bool usable() const {
    return fraction >= least_fraction && fraction - near_bits >= 8;
  }
  /// The bits that are not all zero in a sum that is safe.
  [[nodiscard]] constexpr std::int32_t safe_bits() const {
    return (1 << fraction) - (1 << near_bits);
  }

 private:
  static constexpr int least_fraction = 16;  // the kernels take q from the upper half of a sum
};

}  // namespace ctq::kernels::simd
