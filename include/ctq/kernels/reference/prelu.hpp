// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/elementwise_shapes.hpp"

namespace ctq::kernels::reference {

[[nodiscard, gnu::always_inline]] constexpr float prelu(float x, float weight) noexcept {
  return x > 0.0F ? x : x * weight;
}

/// A rectifier with a slope of its own for each channel, on float32.
///
///   out[p,c] = in[p,c] > 0 ? in[p,c] : in[p,c] * weight[c]
///
/// Shapes    in, out [rows, C] · weight [C]
/// Source    PyTorch prelu
[[gnu::always_inline]] inline void prelu(channels_shape shape, const float* in, const float* weight,
                                         float* out) noexcept {
  for (std::ptrdiff_t row = 0; row < shape.rows; ++row)
    for (int c = 0; c < shape.channels; ++c) {
      const std::ptrdiff_t i = row * shape.channels + c;
      out[i] = prelu(in[i], weight[c]);
    }
}

}  // namespace ctq::kernels::reference
