// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>

#include "ctq/kernels/reference/layer_norm.hpp"

namespace ctq::kernels::simd {

/// As reference::layer_norm, bit for bit, in loops that compilers vectorize: contraction changes
/// nothing.
template <class Isa>
[[gnu::noinline]] void layer_norm(const layer_norm_shape& s, const float* in, const float* weight,
                                  const float* bias, float* out) noexcept {
  constexpr int lanes = reference::row_sums;
  for (std::ptrdiff_t row = 0; row < s.rows; ++row) {
    const std::ptrdiff_t first = row * s.count;
    const float* const x = in + first;
    float* const y = out + first;
    const int whole = s.count / lanes * lanes;
    double sums[lanes]{};
    for (int i = 0; i < whole; i += lanes)
      for (int j = 0; j < lanes; ++j) sums[j] += static_cast<double>(x[i + j]);
    for (int i = whole; i < s.count; ++i) sums[i - whole] += static_cast<double>(x[i]);
    const double mean = reference::fold_sums(sums) / s.count;
    double squares[lanes]{};
    const auto difference = [&](int i) __attribute__((always_inline)) {
      y[i] = static_cast<float>(static_cast<double>(x[i]) - mean);
      return static_cast<double>(y[i]) * static_cast<double>(y[i]);
    };
    for (int i = 0; i < whole; i += lanes)
      for (int j = 0; j < lanes; ++j) squares[j] += difference(i + j);
    for (int i = whole; i < s.count; ++i) squares[i - whole] += difference(i);
    const double variance = reference::fold_sums(squares) / s.count;
    const double inverse = 1.0 / std::sqrt(variance + static_cast<double>(s.eps));
    if (weight != nullptr && bias != nullptr && s.pixels == 1 && s.channels == s.count) {
      for (int i = 0; i < s.count; ++i) {
        const auto factor = static_cast<float>(static_cast<double>(weight[i]) * inverse);
        y[i] = static_cast<float>(static_cast<double>(y[i]) * static_cast<double>(factor) +
                                  static_cast<double>(bias[i]));
      }
      continue;
    }
    for (int i = 0; i < s.count;) {
      const std::ptrdiff_t c = (first + i) / s.pixels % s.channels;
      const int end = s.count - i < s.pixels ? s.count : i + s.pixels;
      const double w = weight == nullptr ? 1.0 : static_cast<double>(weight[c]);
      const double b = bias == nullptr ? 0.0 : static_cast<double>(bias[c]);
      const auto factor = static_cast<double>(static_cast<float>(w * inverse));
      for (; i < end; ++i) y[i] = static_cast<float>(static_cast<double>(y[i]) * factor + b);
    }
  }
}

}  // namespace ctq::kernels::simd
