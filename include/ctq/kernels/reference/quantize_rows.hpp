// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/quantize.hpp"

namespace ctq::kernels::reference {

/// Symmetric qparams of a row with max |x| = largest, which maps to 127.
[[nodiscard, gnu::always_inline]] constexpr qparams row_qparams(float largest) noexcept {
  constexpr float smallest = 0x1p-23F;  // as in PyTorch: scale > 0 for a row of zeros
  const float scale = largest / 127.0F;
  return {scale < smallest ? smallest : scale, 0, -127, 127};
}

/// Dynamic quantization of activations [rows, channels] to int8 with a scale per row, max |in| /
/// 127.
///
/// Rounding  as quantize; NaN gives 0. A row with an infinity gives zeros and an infinite scale
/// Source    torchao per_token_dynamic_quant, symmetric
inline void quantize_rows(channels_shape shape, const float* in, std::int8_t* out,
                          float* scale) noexcept {
  for (int row = 0; row < shape.rows; ++row) {
    float largest = 0.0F;
    for (int c = 0; c < shape.channels; ++c) {
      const float x = ::fabsf(in[c]);
      if (x > largest) largest = x;
    }
    const qparams q = row_qparams(largest);
    quantize({shape.channels}, in, q, out);
    scale[row] = q.scale;
    in += shape.channels;
    out += shape.channels;
  }
}

}  // namespace ctq::kernels::reference
