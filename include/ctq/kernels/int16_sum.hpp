// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "ctq/kernels/quantizer.hpp"

namespace ctq::kernels {

/// The sum of two quantized values in units of the output's scale, in 16-bit fixed point with
/// `fraction` fractional bits. With a, b and q offset to -128 … 127:
///
///   part(a) = (a * 256 * multiplier_a + 2^14) >> 15
///   sum     = saturate(saturate(part(b) + start) + part(a)), doubled and saturated 8 - fraction
///             times
///   q       = sum >> 8
///
/// start contains the zero points and one half for rounding. part(b) + start fits in 16 bits, so a
/// sum that saturates is outside the range of q. The error is at most half of 2^-fraction in each
/// of multiplier_a * |a| / 2^7, multiplier_b * |b| / 2^7, both parts and start: 5/32 for fraction =
/// 4. So q differs by at most 1 from reference::binary_add, whose error before rounding is far
/// smaller.
struct int16_sum {
  int fraction{};  // 0: the scales are too far apart
  std::int16_t multiplier_a{}, multiplier_b{}, start{};

  /// For int8, or for uint8 with values and zero points offset by -128.
  constexpr int16_sum(float scale_a, int zero_a, float scale_b, int zero_b, const quantizer& to,
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
    const double offset_and_half = (offset + 0.5) * unit;
    start = static_cast<std::int16_t>(offset_and_half < 0 ? offset_and_half - 0.5
                                                          : offset_and_half + 0.5);
  }

  [[nodiscard]] constexpr bool usable() const { return fraction > 0; }
};

}  // namespace ctq::kernels
