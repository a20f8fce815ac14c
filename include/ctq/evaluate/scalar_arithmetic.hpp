// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ctq/evaluate/quantized_tensor.hpp"

// Sums and products of a quantized tensor and a number, with a scale that depends on both, as in
// PyTorch; ctq's kernels keep the observed scale.

namespace ctq {

namespace integers {

inline quantized_tensor with_steps(const quantized_tensor& x, double scale, std::int64_t zp) {
  quantized_tensor out = x;
  out.qparams.scale = {scale};
  out.qparams.zero_point = {static_cast<std::int32_t>(zp)};
  return out;
}

/// (q - zero_point + term), requantized from the scale of x to another. The multiplier is computed
/// as in PyTorch, scale * (1 / new scale) in float32: the exact ratio is one of small integers, so
/// ties are common, and the last bit of the multiplier decides how they are rounded.
inline quantized_tensor requantized(const quantized_tensor& x, std::int64_t term, double scale,
                                    std::int64_t zero_point) {
  const float multiplier =
      static_cast<float>(x.qparams.scale[0]) * (1.0F / static_cast<float>(scale));
  const quant_range r = range_of(x.qparams.dtype);
  quantized_tensor out = with_steps(x, scale, zero_point);
  for (std::int32_t& q : out.q.data) {
    const auto sum = static_cast<float>(q - x.qparams.zero_point[0] + term);
    const auto steps = static_cast<std::int64_t>(std::nearbyint(sum * multiplier));
    q = static_cast<std::int32_t>(std::clamp(steps + zero_point, r.min, r.max));
  }
  return out;
}

}  // namespace integers

/// x * factor. The scale changes, the integers do not; a negative factor reverses the range.
/// Source  PyTorch aten/src/ATen/native/quantized/cpu/qmul.cpp
[[nodiscard]] inline quantized_tensor integer_product(const quantized_tensor& x, double factor) {
  const quant_range r = range_of(x.qparams.dtype);
  const double scale = x.qparams.scale[0];
  const std::int64_t zero_point = x.qparams.zero_point[0];
  if (factor > 0.0) return integers::with_steps(x, scale * factor, zero_point);
  quantized_tensor out = integers::with_steps(x, factor == 0.0 ? 1.0 : -factor * scale,
                                              factor == 0.0 ? 0 : r.max - zero_point + r.min);
  for (std::int32_t& q : out.q.data)
    q = factor == 0.0 ? 0 : static_cast<std::int32_t>(r.max + r.min - q);
  return out;
}

/// x + term. The zero point changes; if it would leave the range, the scale becomes larger instead.
/// Source  PyTorch aten/src/ATen/native/quantized/cpu/qadd.cpp
[[nodiscard]] inline quantized_tensor integer_sum(const quantized_tensor& x, double term) {
  const quant_range r = range_of(x.qparams.dtype);
  const double scale = x.qparams.scale[0];
  const auto steps_of_term = static_cast<std::int64_t>(std::nearbyint(term / scale));
  const std::int64_t zero_point = std::int64_t{x.qparams.zero_point[0]} - steps_of_term;
  const auto steps = static_cast<double>(r.max - r.min);
  const auto widened = [&](std::int64_t extent, std::int64_t to) {
    return integers::requantized(x, steps_of_term, scale * static_cast<double>(extent) / steps, to);
  };
  if (zero_point < r.min) return widened(r.max - zero_point, r.min);
  if (zero_point > r.max) return widened(zero_point - r.min, r.max);
  return integers::with_steps(x, scale, zero_point);
}

/// Relu on integers.
[[nodiscard]] inline quantized_tensor integer_relu(quantized_tensor x) {
  for (std::int32_t& q : x.q.data) q = std::max(q, x.qparams.zero_point[0]);
  return x;
}

}  // namespace ctq
