// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/kernels/exponential.hpp"

namespace ctq::kernels::reference {

/// Partial sums of a row: element i belongs to sum i % 16.
inline constexpr int row_sums = 16;

/// Their sum: the second half is added to the first, until one is left.
template <class Real>
[[nodiscard]] constexpr Real fold_sums(Real (&sum)[row_sums]) noexcept {
  for (int half = row_sums / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) sum[i] += sum[i + half];
  return sum[0];
}

/// Softmax along an axis, on float32:
///
///   out[i] = exp(in[i] - max) * (1 / Σ exp(in[j] - max))
///   out[i] = (in[i] - max) - log(Σ exp(in[j] - max))        if shape.logarithm
///
/// Shapes   in, out: `rows` rows of `count` > 0 elements, `stride` apart; may be the same memory
/// Sums     in 16 partial sums, see fold_sums; exp and log of kernels/exponential.hpp
/// Special  a NaN or +inf in a row makes all of the row NaN; as in PyTorch, so does a row of -inf
inline void softmax(const softmax_shape& s, const float* in, float* out) noexcept {
  for (std::ptrdiff_t row = 0; row < s.rows; ++row) {
    const std::ptrdiff_t first = row / s.stride * s.stride * s.count + row % s.stride;
    const float* const x = in + first;
    float* const y = out + first;
    const auto at = [&s](int i) { return static_cast<std::ptrdiff_t>(i) * s.stride; };
    float most = x[0];
    for (int i = 1; i < s.count; ++i) most = x[at(i)] > most ? x[at(i)] : most;
    float sums[row_sums]{};
    for (int i = 0; i < s.count; ++i) {
      const float shifted = x[at(i)] - most;
      const float e = exp_of_negative(shifted);
      sums[i % row_sums] += e;
      y[at(i)] = s.logarithm != 0 ? shifted : e;
    }
    const float sum = fold_sums(sums);
    const float factor = 1.0F / sum;
    const auto log = static_cast<float>(log_of_sum(static_cast<double>(sum)));
    for (int i = 0; i < s.count; ++i)
      y[at(i)] = s.logarithm != 0 ? y[at(i)] - log : y[at(i)] * factor;
  }
}

}  // namespace ctq::kernels::reference
