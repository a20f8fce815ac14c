// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "ctq/kernels/quantizer.hpp"

namespace ctq::kernels {

/// The sum of two quantized numbers in steps of the output, in 16-bit integers with `fraction`
/// bits behind the point. With a, b and q moved so that they are -128 … 127:
///
///   part(a) = (a * 256 * multiplier_a + 2^14) >> 15
///   sum     = saturate(saturate(part(b) + start) + part(a)), doubled and saturated 8 - fraction
///             times
///   q       = sum >> 8
///
/// start holds the zero points and the half step of rounding. part(b) + start stays within 16 bits,
/// so what saturates in the end lies beyond the ends of q. The error is at most half of 2^-fraction
/// in each of multiplier_a * |a| / 2^7, multiplier_b * |b| / 2^7, both parts and start: 5/32 of a
/// step, if fraction is 4. So q is at most one step away from that of reference::add, which rounds
/// a number that is off by far less.
struct word_sum {
  int fraction{};  // 0: the scales are too far apart
  std::int16_t multiplier_a{}, multiplier_b{}, start{};

  /// For int8, or for uint8 less 128 with zero points that were moved as well.
  constexpr word_sum(float scale_a, int zero_a, float scale_b, int zero_b, const quantizer& to,
                     int zero_out) {
    const double a = double{scale_a} * to.inverse;
    const double b = double{scale_b} * to.inverse;
    const double offset = zero_out - zero_a * a - zero_b * b;
    const double most = 128 * b + (offset < 0 ? -offset : offset) + 1;
    int bits = 8;
    double unit = 256;
    while (bits >= 4 && (most * unit >= 32767 || std::max(a, b) * unit * 128 >= 32767)) {
      --bits;
      unit /= 2;
    }
    if (bits < 4) return;
    fraction = bits;
    multiplier_a = static_cast<std::int16_t>(a * unit * 128 + 0.5);
    multiplier_b = static_cast<std::int16_t>(b * unit * 128 + 0.5);
    const double steps = (offset + 0.5) * unit;
    start = static_cast<std::int16_t>(steps < 0 ? steps - 0.5 : steps + 0.5);
  }

  [[nodiscard]] constexpr bool usable() const { return fraction > 0; }
};

}  // namespace ctq::kernels
