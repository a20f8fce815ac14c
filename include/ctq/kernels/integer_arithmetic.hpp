// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ctq/core/dtype.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/core/qparams.hpp"

// The arithmetic of a convolution or a linear layer on 8-bit integers, from float32 scales and
// biases to bytes, in one place. Per output channel:
//
//   bias_q     = rne(bias * (1 / (scale_in * scale_weight)))
//   acc        = bias_q + Σ (q_in - zero_point_in) * q_weight                      int32, exact
//   multiplier = (scale_weight * scale_in) * (1 / scale_out)                 float32, in this order
//                or less, see channel_arithmetic_of
//   q          = clamp(int(rne(float(acc) * multiplier)) + zero_point_out, lo, hi)
//
// rne: to nearest, ties to even. Every operation on floats rounds to float32.
//
// Source  QNNPACK: QuantizeBias, generate_requantization_scales

namespace ctq::kernels {

/// 1.5 * 2^23. For |x| < 2^22 the lowest bits of x + round_to_integer are rne(x), and
/// x + round_to_integer - round_to_integer is rne(x) as a float.
inline constexpr float round_to_integer = 12582912.0F;

/// The parameters that all output channels share. lo and hi bound q, zero point included; with a
/// fused relu lo >= zero_point.
/// Requires  zero_point, lo and hi in the range of the output's dtype
struct output_range {
  std::int32_t zero_point{};
  std::int32_t lo{};
  std::int32_t hi{};
};

[[nodiscard]] constexpr output_range output_range_of(const qparams& q, bool relu) {
  return {.zero_point = q.zero_point,
          .lo = relu && q.zero_point > q.quant_min ? q.zero_point : q.quant_min,
          .hi = q.quant_max};
}

[[nodiscard]] inline float output_multiplier(float scale_in, float scale_weight,
                                             float scale_out) noexcept {
  return no_contract(scale_weight * scale_in) * (1.0F / scale_out);
}

/// The bias in quantization steps of the accumulator: an integer, as a float since it may exceed
/// int32.
[[nodiscard]] inline float bias_steps(float bias, float scale_in, float scale_weight) noexcept {
  return ::nearbyintf(bias * (1.0F / no_contract(scale_in * scale_weight)));
}

/// Requantizes one int32 accumulator. Assumes the default rounding mode (ties to even).
/// Requires  |acc * multiplier| < 2^31 - 256: see channel_arithmetic
[[nodiscard]] inline std::int32_t requantize(std::int32_t acc, float multiplier,
                                             const output_range& to) noexcept {
  const float scaled = no_contract(static_cast<float>(acc) * multiplier);
  const auto rounded = static_cast<std::int32_t>(::nearbyintf(scaled));
  return std::clamp(rounded + to.zero_point, to.lo, to.hi);
}

/// The weights of one output channel: Σ weight, Σ |weight|.
struct channel_sums {
  std::int64_t of_weights = 0;
  std::int64_t of_sizes = 0;

  constexpr void add(std::int64_t weight) {
    of_weights += weight;
    of_sizes += weight < 0 ? -weight : weight;
  }
};

/// The largest |q_in|.
[[nodiscard]] constexpr std::int64_t largest_input(dtype in) { return in == quint8 ? 255 : 128; }

/// Whether Σ (q_in - zero_point) * q_weight fits in int32 for every zero point.
[[nodiscard]] constexpr bool products_fit(const channel_sums& sums) {
  return 255 * sums.of_sizes < std::int64_t{1} << 31;
}

/// What kernels compute a channel with: requantize(bias + Σ q_in * q_weight, multiplier).
struct channel_arithmetic {
  std::int32_t bias{};  // bias_q - zero_point_in * Σ q_weight
  float multiplier{};
  bool exact = false;  // no sum leaves int32, and no product with the multiplier does
};

/// If all weights of a channel are 0, their scale is arbitrary: if the bias does not fit in int32
/// with the given scale, another one is used, with which the multiplier is about 1, or less.
///
/// A multiplier with which products could leave int32 is replaced by the largest with which none
/// does, if outputs are 8-bit integers: their range is then less than 2^-23 of the range of sums,
/// as it is if all outputs were equal in calibration. Sums of at least 2^-23 of the largest one
/// saturate with either multiplier; smaller ones may give another integer.
///   out_type  f32: the sum times the multiplier is the output
[[nodiscard]] inline channel_arithmetic channel_arithmetic_of(float bias, const channel_sums& sums,
                                                              const qparams& in, dtype in_type,
                                                              float scale_weight, float scale_out,
                                                              dtype out_type) {
  constexpr double limit = 2147483648.0;
  const auto with = [&](float scale) {
    const double folded = double{bias_steps(bias, in.scale, scale)} -
                          static_cast<double>(in.zero_point * sums.of_weights);
    const double bound =
        ::fabs(folded) + static_cast<double>(largest_input(in_type) * sums.of_sizes);
    channel_arithmetic c{.multiplier = output_multiplier(in.scale, scale, scale_out)};
    if (out_type != f32) {
      // Less than limit - 512 also after rounding to float.
      const auto largest = static_cast<float>((limit - 1024) / std::max(1.0, bound));
      c.multiplier = std::min(largest, c.multiplier);
    }
    c.exact = bound < limit && bound * ::fabs(double{c.multiplier}) < limit - 512;
    if (c.exact) c.bias = static_cast<std::int32_t>(folded);
    return c;
  };
  const channel_arithmetic c = with(scale_weight);
  if (c.exact || sums.of_sizes != 0) return c;
  return with(std::max(scale_out, ::fabsf(bias) * 0x1p-30F) / in.scale);
}

}  // namespace ctq::kernels
