// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/observers/slices.hpp"

// Quantize and dequantize in float32, to simulate quantization. The gradient for training is the
// straight-through estimator: rounding counts as the identity, saturation as a constant.
//
// In all functions the spans have the same size; out may be in.

namespace ctq::observers {

/// Rounding of floats to integers relative to the zero point, and the bounds where they saturate.
struct integer_grid {
  float inverse{};  // 1 / scale
  float low{};
  float high{};

  explicit integer_grid(const qparams& p)
      : inverse(1.0F / p.scale),
        low(static_cast<float>(std::int64_t{p.quant_min} - p.zero_point)),
        high(static_cast<float>(std::int64_t{p.quant_max} - p.zero_point)) {}

  /// NaN gives NaN.
  [[nodiscard]] float round(float x) const { return std::nearbyint(x * inverse); }
  [[nodiscard]] bool inside(float q) const { return q >= low && q <= high; }
};

/// out[i] = clamp(rne(in[i] * (1 / scale)), quant_min - zp, quant_max - zp) * scale
///
/// NaN gives 0, ±inf the bounds.
/// Source  PyTorch fake_quantize_per_tensor_affine
inline void fake_quantize(span<const float> in, const qparams& p, span<float> out) {
  const integer_grid grid(p);
  for (std::size_t i = 0; i < in.size(); ++i) {
    float q = grid.round(in[i]);
    if (q != q) q = 0.0F;
    if (q < grid.low) q = grid.low;
    if (q > grid.high) q = grid.high;
    out[i] = q * p.scale;
  }
}

/// grad_in[i] = grad_out[i] where in[i] does not saturate, else 0; 0 for NaN.
inline void fake_quantize_gradient(span<const float> in, const qparams& p,
                                   span<const float> grad_out, span<float> grad_in) {
  const integer_grid grid(p);
  for (std::size_t i = 0; i < in.size(); ++i)
    grad_in[i] = grid.inside(grid.round(in[i])) ? grad_out[i] : 0.0F;
}

/// Parameters with a float zero point: those of a row of an embedding.
struct real_qparams {
  float scale = 1.0F;
  float zero_point = 0.0F;
  std::int32_t quant_min = 0;
  std::int32_t quant_max = 255;

  /// rne(fma(x, 1 / scale, zero_point)): PyTorch's kernel is compiled to an fma.
  [[nodiscard]] float integer_of(float x) const {
    return std::nearbyint(std::fma(x, 1.0F / scale, zero_point));
  }
  [[nodiscard]] bool inside(float q) const {
    return q >= static_cast<float>(quant_min) && q <= static_cast<float>(quant_max);
  }
};

/// out[i] = (clamp(rne(in[i] * (1 / scale) + zp), quant_min, quant_max) - zp) * scale, difference
/// and product in double. NaN gives 0. A template, so that a braced list in a call means qparams.
template <std::same_as<real_qparams> P>
void fake_quantize(span<const float> in, const P& p, span<float> out) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto q = static_cast<double>(p.integer_of(in[i]));
    const double kept = std::clamp(q, double(p.quant_min), double(p.quant_max));
    const double real = (kept - static_cast<double>(p.zero_point)) * static_cast<double>(p.scale);
    out[i] = q == q ? static_cast<float>(real) : 0.0F;
  }
}

template <std::same_as<real_qparams> P>
void fake_quantize_gradient(span<const float> in, const P& p, span<const float> grad_out,
                            span<float> grad_in) {
  for (std::size_t i = 0; i < in.size(); ++i)
    grad_in[i] = p.inside(p.integer_of(in[i])) ? grad_out[i] : 0.0F;
}

/// Calls f(qparams, offset, count) for each slice along p.axis.
/// Requires  fits(p, shape)
template <class F>
void for_each_slice(const shape& shape, const per_channel_qparams& p, F f) {
  for_each_slice(shape, p.axis, [&](std::size_t c, std::size_t offset, std::size_t count) {
    if (p.float_zero_point.empty())
      f(qparams{p.scale[c], p.zero_point[c], p.quant_min, p.quant_max}, offset, count);
    else
      f(real_qparams{p.scale[c], p.float_zero_point[c], p.quant_min, p.quant_max}, offset, count);
  });
}

/// The same with the parameters of each slice along p.axis; `shape` is that of in and out.
inline void fake_quantize(span<const float> in, const shape& shape, const per_channel_qparams& p,
                          span<float> out) {
  for_each_slice(shape, p, [&](const auto& channel, std::size_t offset, std::size_t count) {
    fake_quantize(in.subspan(offset, count), channel, out.subspan(offset, count));
  });
}

inline void fake_quantize_gradient(span<const float> in, const shape& shape,
                                   const per_channel_qparams& p, span<const float> grad_out,
                                   span<float> grad_in) {
  for_each_slice(shape, p, [&](const auto& channel, std::size_t offset, std::size_t count) {
    fake_quantize_gradient(in.subspan(offset, count), channel, grad_out.subspan(offset, count),
                           grad_in.subspan(offset, count));
  });
}

/// Whether p has parameters for each slice along p.axis.
[[nodiscard]] inline bool fits(const per_channel_qparams& p, const shape& shape) {
  const int axis = axis_index(shape, p.axis);
  return axis >= 0 && p.scale.size() == static_cast<std::size_t>(shape[axis]);
}

}  // namespace ctq::observers
