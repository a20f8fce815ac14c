// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/kernels/quantizer.hpp"
#include "ctq/kernels/requantize_params.hpp"

namespace ctq::kernels::reference {

/// Requantizes one int32 accumulator. Assumes the default rounding mode (ties to even).
/// Requires  |acc * multiplier| < 2^31 - 256, proved by convert
[[nodiscard]] inline std::int32_t requantize(std::int32_t acc, float multiplier,
                                             const output_range& to) noexcept {
  const float scaled = no_contract(static_cast<float>(acc) * multiplier);
  const auto rounded = static_cast<std::int32_t>(std::nearbyint(scaled));
  return std::clamp(rounded + to.zero_point, to.lo, to.hi);
}

/// Requantizes stored accumulators to 8-bit integers, with one multiplier for all channels.
template <quantized Q>
inline void requantize(elementwise_shape shape, const std::int32_t* in, float multiplier,
                       const output_range& to, Q* out) noexcept {
  for (int i = 0; i < shape.count; ++i) {
    out[i] = static_cast<Q>(requantize(in[i], multiplier, to));
  }
}

}  // namespace ctq::kernels::reference
