// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/no_contract.hpp"

// Layer norm in float, for the functions of ops.

namespace ctq::descriptors::functions {

/// Layer norm of rows that are contiguous, computed in double; y may be x.
///   bias  null: there is none
[[gnu::noinline]] inline void normalize_rows(const float* x, std::size_t rows, std::size_t columns,
                                             const float* weight, const float* bias, float eps,
                                             float* y) noexcept {
  const auto count = static_cast<double>(columns);
  for (; rows > 0; --rows, x += columns, y += columns) {
    double sum = 0, squares = 0;
    for (std::size_t k = 0; k < columns; ++k) sum += static_cast<double>(x[k]);
    const double mean = sum / count;
    for (std::size_t k = 0; k < columns; ++k) {
      const double from_mean = static_cast<double>(x[k]) - mean;
      squares += no_contract(from_mean * from_mean);
    }
    const double scale = 1 / __builtin_sqrt(squares / count + static_cast<double>(eps));
    for (std::size_t k = 0; k < columns; ++k) {
      const double normal = no_contract((static_cast<double>(x[k]) - mean) * scale);
      const double scaled = no_contract(normal * static_cast<double>(weight[k]));
      y[k] = static_cast<float>(scaled + (bias == nullptr ? 0.0 : static_cast<double>(bias[k])));
    }
  }
}

}  // namespace ctq::descriptors::functions
