// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ctq/core/no_contract.hpp"
#include "ctq/kernels/requantization.hpp"

namespace ctq::kernels::reference {

/// One int32 sum as an integer of the output, in the default rounding mode (ties to even).
/// Requires  |acc * multiplier| < 2^31 - 256, proved by convert
[[nodiscard]] inline std::int32_t requantize(std::int32_t acc, float multiplier,
                                             const output_steps& to) noexcept {
  const float scaled = no_contract(static_cast<float>(acc) * multiplier);
  const auto rounded = static_cast<std::int32_t>(std::nearbyint(scaled));
  return std::clamp(rounded + to.zero_point, to.lo, to.hi);
}

}  // namespace ctq::kernels::reference
