// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace ctq::kernels {

/// Weights [N,K] of four bits with a scale and a zero point per group along K:
///
///   weight[n,k] = (value[n,k] - zero_point[n,g]) * scale[n,g],  g = k / group_size
///
/// group_size need not divide K: the last of the G = ceil(K / group_size) groups may be shorter.
struct int4_weights {
  int group_size{};
  const std::uint8_t* values{};      // [N, ceil(K/2)], 0 … 15: even k in the low half of a byte
  const float* scale{};              // [N,G]
  const std::uint8_t* zero_point{};  // [N,G], 0 … 15; null: 8, so that values mean -8 … 7

  [[nodiscard]] constexpr int groups(int in_features) const {
    return (in_features + group_size - 1) / group_size;
  }
};

}  // namespace ctq::kernels
