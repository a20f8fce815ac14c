// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ctq/core/qparams.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/observers/slices.hpp"

// Quantize and dequantize at once, in float32: what a tensor looks like after its integers.

namespace ctq::observers {

/// out[i] = clamp(rne(in[i] * (1 / scale)), quant_min - zp, quant_max - zp) * scale
///
/// in and out have the same size and may be the same memory. NaN gives 0, ±inf the ends.
/// Source  PyTorch fake_quantize_per_tensor_affine
inline void fake_quantize(std::span<const float> in, const qparams& p, std::span<float> out) {
  const float inverse = 1.0F / p.scale;
  const auto low = static_cast<float>(std::int64_t{p.quant_min} - p.zero_point);
  const auto high = static_cast<float>(std::int64_t{p.quant_max} - p.zero_point);
  for (std::size_t i = 0; i < in.size(); ++i) {
    float steps = std::nearbyint(in[i] * inverse);
    if (steps != steps) steps = 0.0F;
    if (steps < low) steps = low;
    if (steps > high) steps = high;
    out[i] = steps * p.scale;
  }
}

/// The same with the parameters of each slice along p.axis; shape is that of in and out. Integer
/// zero points only.
inline void fake_quantize(std::span<const float> in, const shape& shape,
                          const per_channel_qparams& p, std::span<float> out) {
  for_each_slice(shape, p.axis, [&](std::size_t c, std::size_t offset, std::size_t count) {
    fake_quantize(in.subspan(offset, count),
                  {p.scale[c], p.zero_point[c], p.quant_min, p.quant_max},
                  out.subspan(offset, count));
  });
}

}  // namespace ctq::observers
