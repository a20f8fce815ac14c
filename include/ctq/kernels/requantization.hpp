// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

// How the int32 sums of a convolution or a linear layer become 8-bit integers:
//
//   q = clamp(int(rne(float(acc) * multiplier[channel])) + zero_point, lo, hi)
//
// rne: to nearest, ties to even.

namespace ctq::kernels {

/// What the output's channels share, in steps. lo and hi are bounds of q, so they hold the zero
/// point and, after a relu, lo >= zero_point.
/// Requires  zero_point, lo and hi in the range of the output's dtype
struct output_steps {
  std::int32_t zero_point{};
  std::int32_t lo{};
  std::int32_t hi{};
};

/// The same with one multiplier for each output channel: scale_in * scale_weight / scale_out.
struct requantization {
  const float* multiplier{};
  std::int32_t zero_point{};
  std::int32_t lo{};
  std::int32_t hi{};

  [[nodiscard]] constexpr output_steps steps() const { return {zero_point, lo, hi}; }
};

}  // namespace ctq::kernels
