// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/relu.hpp"

namespace ctq::kernels::reference {

[[nodiscard, gnu::always_inline]] inline float batch_norm2d(float x, float scale, float shift,
                                                            bool relu) noexcept {
  const float y = ::fmaf(x, scale, shift);
  return relu ? reference::relu(y) : y;
}

/// Batch normalization in eval mode, on float32.
///
///   out[p,c] = fma(in[p,c], scale[c], shift[c]), then max(…, 0) if relu
///
/// Shapes    in, out [rows, C], may be the same memory · scale, shift [C]
/// Units     scale = gamma / sqrt(var + eps) · shift = beta - mean * scale
/// Source    PyTorch batch_norm in eval mode
inline void batch_norm2d(channels_shape shape, const float* in, const float* scale,
                         const float* shift, bool relu, float* out) noexcept {
  for (std::ptrdiff_t row = 0; row < shape.rows; ++row) {
    for (int c = 0; c < shape.channels; ++c) {
      const std::ptrdiff_t i = row * shape.channels + c;
      out[i] = batch_norm2d(in[i], scale[c], shift[c], relu);
    }
  }
}

}  // namespace ctq::kernels::reference
