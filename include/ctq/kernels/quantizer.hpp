// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstdint>

#include "ctq/core/qparams.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"

// Constants that 8-bit kernels derive from qparams once per call. Reference and SIMD kernels share
// them, so that they start from the same floats.

namespace ctq::kernels {

/// Satisfied by the integer types of quantized activations.
template <class T>
concept quantized = std::same_as<T, std::uint8_t> || std::same_as<T, std::int8_t>;

/// The constants of quantize: q = int(clamp(rne(x * inverse), low, high)) + zero_point.
struct quantizer {
  float inverse{};      // 1 / scale
  float low{}, high{};  // quant_min - zero_point, quant_max - zero_point
  std::int32_t zero_point{};
};

/// Requires  2⁻¹²⁶ <= scale <= 2¹¹⁸, so that 1 / scale and all dequantized 8-bit values are finite;
///           quant_min <= quant_max, both in the range of the element type; the zero point is
///           between them unless they are the bounds of a clamp
[[nodiscard, gnu::always_inline]] constexpr quantizer quantizer_of(const qparams& p) noexcept {
  return {.inverse = 1.0F / p.scale,
          .low = static_cast<float>(p.quant_min - p.zero_point),
          .high = static_cast<float>(p.quant_max - p.zero_point),
          .zero_point = p.zero_point};
}

/// Quantizes max(x, 0), then clamps. Scales are positive and rounding is monotonic, so one clamp
/// can implement both.
[[nodiscard, gnu::always_inline]] constexpr quantizer with_relu(quantizer q) noexcept {
  q.low = q.low < 0.0F ? 0.0F : q.low;
  q.low = q.low > q.high ? q.high : q.low;
  return q;
}

/// The same bounds as integers of the output.
[[nodiscard, gnu::always_inline]] constexpr output_range output_range_of(
    const quantizer& q) noexcept {
  return {.zero_point = q.zero_point,
          .lo = static_cast<std::int32_t>(q.low) + q.zero_point,
          .hi = static_cast<std::int32_t>(q.high) + q.zero_point};
}

/// Whether quantize(dequantize(q)) = clamp(q) for all q. With equal qparams rne(q * s * (1 / s)) =
/// q, since three roundings change |q| <= 255 by less than 1/2; the bounds of the scale keep q * s
/// and 1 / s normal.
[[nodiscard, gnu::always_inline]] constexpr bool same_scale_and_zero_point(
    const qparams& a, const qparams& b) noexcept {
  return a.scale == b.scale && a.zero_point == b.zero_point && a.scale >= 0x1p-126F &&
         a.scale <= 0x1p118F;
}

}  // namespace ctq::kernels
