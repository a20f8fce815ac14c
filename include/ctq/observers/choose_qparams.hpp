// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ctq/core/dtype.hpp"

// Scale and zero point of dynamic quantization, chosen from one tensor while the model runs. The
// formula differs from that of the observers: it computes in double, the smallest scale is 6.1e-5,
// and the zero point is the one with the smaller error at the ends of the range.

namespace ctq::observers {

struct dynamic_qparams {
  double scale = 1.0;
  std::int32_t zero_point = 0;

  friend bool operator==(const dynamic_qparams&, const dynamic_qparams&) = default;
};

/// The range of integers with reduce_range; engines that ignore it (qnnpack) do not call this.
[[nodiscard]] constexpr quant_range reduced(quant_range r) { return {r.min / 2, r.max / 2}; }

/// Scale and zero point of a tensor with values in [min, max].
///
///   preserve_sparsity  if the range has values of both signs, the zero point is in the middle, as
///                      for weights in quantization-aware training
/// Source  PyTorch quantize_per_tensor_dynamic, which is FBGEMM's ChooseQuantizationParams
[[nodiscard]] inline dynamic_qparams choose_qparams(float min, float max, quant_range r,
                                                    bool preserve_sparsity = false) {
  constexpr float smallest_scale = 6.1e-5F;
  const auto integer_span = static_cast<double>(r.max - r.min);
  const bool symmetric = preserve_sparsity && min < 0.0F && max > 0.0F;
  if (symmetric) {
    const auto half = static_cast<double>((r.max - r.min) / 2);
    const double widest = std::max(std::abs(static_cast<double>(min) / -(half + 1.0)),
                                   std::abs(static_cast<double>(max) / half));
    min = static_cast<float>(widest * -(half + 1.0));
    max = static_cast<float>(widest * half);
  }
  min = std::min(min, 0.0F);
  max = std::max(max, 0.0F);

  double scale = (static_cast<double>(max) - static_cast<double>(min)) / integer_span;
  const auto rounded = static_cast<float>(scale);
  if (rounded == 0.0F || std::isinf(1.0F / rounded)) scale = 0.1;
  if (scale < static_cast<double>(smallest_scale)) {
    const double wider = static_cast<double>(smallest_scale) / scale;
    scale = static_cast<double>(smallest_scale);
    if (min == 0.0F) {
      max = static_cast<float>(scale * integer_span);
    } else if (max == 0.0F) {
      min = -static_cast<float>(scale * integer_span);
    } else {
      min *= static_cast<float>(wider);
      max *= static_cast<float>(wider);
    }
  }

  const auto qmin = static_cast<double>(r.min);
  const auto qmax = static_cast<double>(r.max);
  const double below = static_cast<double>(min) / scale;
  const double above = static_cast<double>(max) / scale;
  const bool from_min = std::abs(qmin) - std::abs(below) < std::abs(qmax) - std::abs(above);
  double zero_point = from_min ? qmin - below : qmax - above;
  if (symmetric) zero_point = (qmin + qmax) / 2;
  if (!(zero_point > qmin)) zero_point = qmin;  // also if NaN, from an infinite range
  if (zero_point > qmax) zero_point = qmax;
  return {scale, static_cast<std::int32_t>(std::nearbyint(zero_point))};
}

}  // namespace ctq::observers
