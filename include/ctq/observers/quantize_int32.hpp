// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/qparams.hpp"

// Tensors of qint32. No kernel computes on them; used to inspect biases and accumulators.

namespace ctq::observers {

/// out[i] = clamp(zero_point + rne(in[i] * (1 / scale))), the sum in float32 as in PyTorch: for
/// integers beyond 2²⁴ the zero point is lost to rounding. NaN gives the zero point.
/// Source  PyTorch quantize_per_tensor to torch.qint32
inline void quantize(span<const float> in, const qparams& p, span<std::int32_t> out) {
  const float inverse = 1.0F / p.scale;
  const auto zero_point = static_cast<float>(p.zero_point);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto q = static_cast<double>(zero_point + std::nearbyint(in[i] * inverse));
    const double kept =
        std::clamp(q, static_cast<double>(p.quant_min), static_cast<double>(p.quant_max));
    out[i] = q == q ? static_cast<std::int32_t>(kept) : p.zero_point;
  }
}

/// out[i] = (float(in[i]) - float(zero_point)) * scale
inline void dequantize(span<const std::int32_t> in, const qparams& p, span<float> out) {
  for (std::size_t i = 0; i < in.size(); ++i)
    out[i] = (static_cast<float>(in[i]) - static_cast<float>(p.zero_point)) * p.scale;
}

}  // namespace ctq::observers
