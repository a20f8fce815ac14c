// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

// Requantization of the int32 accumulators of convolution and linear to 8-bit integers:
//
//   q = clamp(int(rne(float(acc) * multiplier[channel])) + zero_point, lo, hi)
//
// rne: to nearest, ties to even.

namespace ctq::kernels {

/// The parameters that all output channels share. lo and hi bound q, zero point included; with a
/// fused relu lo >= zero_point.
/// Requires  zero_point, lo and hi in the range of the output's dtype
struct output_range {
  std::int32_t zero_point{};
  std::int32_t lo{};
  std::int32_t hi{};
};

/// The same with a multiplier per output channel: scale_in * scale_weight / scale_out.
struct requantize_params {
  const float* multiplier{};
  std::int32_t zero_point{};
  std::int32_t lo{};
  std::int32_t hi{};

  [[nodiscard]] constexpr output_range range() const { return {zero_point, lo, hi}; }
};

}  // namespace ctq::kernels
