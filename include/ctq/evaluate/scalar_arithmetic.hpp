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

inline quantized_tensor with_steps(quantized_tensor x, double scale, std::int64_t zp) {
  x.qparams.scale = {scale};
  x.qparams.zero_point = {static_cast<std::int32_t>(zp)};
  return x;
}

/// The integers f(q), with the same qparams.
template <class F>
[[nodiscard]] quantized_tensor mapped(const quantized_tensor& x, F f) {
  return quantized_tensor::of(x.qparams, x.shape(), [&]<class Q>(Q* to) {
    x.read([&](const auto* q) {
      std::transform(q, q + x.size(), to,
                     [&](auto one) { return static_cast<Q>(f(std::int64_t{one})); });
    });
  });
}

/// (q - zero_point + term), requantized from the scale of x to another. The multiplier is computed
/// as in PyTorch, scale * (1 / new scale) in float32: the exact ratio is one of small integers, so
/// ties are common, and the last bit of the multiplier decides how they are rounded.
inline quantized_tensor requantized(const quantized_tensor& x, std::int64_t term, double scale,
                                    std::int64_t zero_point) {
  const float multiplier =
      static_cast<float>(x.qparams.scale[0]) * (1.0F / static_cast<float>(scale));
  const quant_range r = range_of(x.qparams.dtype);
  const auto requantize = [&](std::int64_t q) {
    const auto sum = static_cast<float>(q - x.qparams.zero_point[0] + term);
    const auto steps = static_cast<std::int64_t>(std::nearbyint(sum * multiplier));
    return std::clamp(steps + zero_point, r.min, r.max);
  };
  return with_steps(mapped(x, requantize), scale, zero_point);
}

}  // namespace integers

/// x * factor. The scale changes, the integers do not; a negative factor reverses the range.
/// Source  PyTorch aten/src/ATen/native/quantized/cpu/qmul.cpp
[[nodiscard]] inline quantized_tensor integer_product(const quantized_tensor& x, double factor) {
  const quant_range r = range_of(x.qparams.dtype);
  const double scale = x.qparams.scale[0];
  const std::int64_t zero_point = x.qparams.zero_point[0];
  if (factor > 0.0) return integers::with_steps(x, scale * factor, zero_point);
  const auto reverse = [&](std::int64_t q) { return factor == 0.0 ? 0 : r.max + r.min - q; };
  return integers::with_steps(integers::mapped(x, reverse), factor == 0.0 ? 1.0 : -factor * scale,
                              factor == 0.0 ? 0 : r.max - zero_point + r.min);
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
[[nodiscard]] inline quantized_tensor integer_relu(const quantized_tensor& x) {
  const std::int64_t zero_point = x.qparams.zero_point[0];
  return integers::mapped(x, [=](std::int64_t q) { return std::max(q, zero_point); });
}

}  // namespace ctq
