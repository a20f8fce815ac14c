// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/no_contract.hpp"
#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/kernels/batch_norm_fold.hpp"
#include "ctq/kernels/reference/softmax.hpp"

namespace ctq::kernels::reference {

/// Normalizes each row by its own mean and variance: layer, group and instance norm.
///
///   d[i]     = in[i] - in[0]                          mean = Σ d[i] / count
///   variance = Σ (d[i] - mean)² / count
///   out[i]   = (d[i] - mean) * (weight * (1 / sqrt(variance + eps))) + bias
///
/// Elements are taken relative to in[0], since a mean much larger than the deviations would cost
/// these their significant bits.
///
/// Shapes   in, out [rows, count], may be the same memory · weight, bias [channels], or null: 1, 0
/// Sums     in 16 partial sums, see fold_sums. No product is contracted with an addition
inline void layer_norm(const layer_norm_shape& s, const float* in, const float* weight,
                       const float* bias, float* out) noexcept {
  if (s.count == 0) return;
  const auto count = static_cast<float>(s.count);
  for (std::ptrdiff_t row = 0; row < s.rows; ++row) {
    const std::ptrdiff_t first = row * s.count;
    const float* const x = in + first;
    float* const y = out + first;
    const float origin = x[0];
    float sums[row_sums]{};
    for (int i = 0; i < s.count; ++i) sums[i % row_sums] += x[i] - origin;
    const float mean = fold_sums(sums) / count;
    float squares[row_sums]{};
    for (int i = 0; i < s.count; ++i) {
      const float difference = (x[i] - origin) - mean;
      squares[i % row_sums] += no_contract(difference * difference);
    }
    const float inverse = inverse_deviation(fold_sums(squares) / count, s.eps);
    for (int i = 0; i < s.count; ++i) {
      const std::ptrdiff_t c = (first + i) / s.pixels % s.channels;
      const float factor = weight == nullptr ? inverse : weight[c] * inverse;
      y[i] = no_contract(((x[i] - origin) - mean) * factor) + (bias == nullptr ? 0.0F : bias[c]);
    }
  }
}

}  // namespace ctq::kernels::reference
