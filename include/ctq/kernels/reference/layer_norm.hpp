// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/kernels/reference/softmax.hpp"

namespace ctq::kernels::reference {

/// Normalizes each row by its own mean and variance: layer, group and instance norm.
///
///   d[i]   = float(in[i] - mean)
///   out[i] = float(d[i] * float(weight / sqrt(variance + eps)) + bias)
///
/// Shapes   in, out [rows, count], may be the same memory · weight, bias [channels], or null: 1, 0
/// Sums     of in and of d², divided by count, in float64 and in 16 partial sums, see fold_sums.
///          Products of two floats are exact in float64, so that no contraction changes them
inline void layer_norm(const layer_norm_shape& s, const float* in, const float* weight,
                       const float* bias, float* out) noexcept {
  for (std::ptrdiff_t row = 0; row < s.rows; ++row) {
    const std::ptrdiff_t first = row * s.count;
    const float* const x = in + first;
    float* const y = out + first;
    double sums[row_sums]{};
    for (int i = 0; i < s.count; ++i) sums[i % row_sums] += static_cast<double>(x[i]);
    const double mean = fold_sums(sums) / s.count;
    double squares[row_sums]{};
    for (int i = 0; i < s.count; ++i) {
      y[i] = static_cast<float>(static_cast<double>(x[i]) - mean);
      squares[i % row_sums] += static_cast<double>(y[i]) * static_cast<double>(y[i]);
    }
    const double variance = fold_sums(squares) / s.count;
    const double inverse = 1.0 / std::sqrt(variance + static_cast<double>(s.eps));
    for (int i = 0; i < s.count; ++i) {
      const std::ptrdiff_t c = (first + i) / s.pixels % s.channels;
      const double w = weight == nullptr ? 1.0 : static_cast<double>(weight[c]);
      const double b = bias == nullptr ? 0.0 : static_cast<double>(bias[c]);
      const auto factor = static_cast<float>(w * inverse);
      y[i] = static_cast<float>(static_cast<double>(y[i]) * static_cast<double>(factor) + b);
    }
  }
}

}  // namespace ctq::kernels::reference
