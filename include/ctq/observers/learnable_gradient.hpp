// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/dtype.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/kernels/cascade_sum.hpp"
#include "ctq/observers/fake_quantize.hpp"
#include "ctq/observers/slices.hpp"

// Fake quantization whose scale and zero point are trained (Esser et al., Learned Step Size
// Quantization, arXiv 1902.08153; Jain et al., arXiv 1903.08066). The zero point is a float that is
// rounded when used.

namespace ctq::observers {

struct learnable_qparams {
  float scale = 1.0F;
  float zero_point = 0.0F;
  quant_range range{0, 255};
};

/// Gradients of a loss with respect to scale and zero point.
struct qparams_gradient {
  float scale = 0.0F;
  float zero_point = 0.0F;
};

/// The parameters that the forward pass uses.
[[nodiscard]] inline qparams rounded(const learnable_qparams& p) {
  const auto min = static_cast<float>(p.range.min);
  const auto max = static_cast<float>(p.range.max);
  const float zero_point = std::clamp(std::nearbyint(p.zero_point), min, max);
  return {p.scale, static_cast<std::int32_t>(zero_point), static_cast<std::int32_t>(p.range.min),
          static_cast<std::int32_t>(p.range.max)};
}

/// The same for the backward pass of a whole tensor, where PyTorch rounds with trunc(zp + 0.5).
[[nodiscard]] inline qparams rounded_backward(const learnable_qparams& p) {
  const auto min = static_cast<float>(p.range.min);
  const auto max = static_cast<float>(p.range.max);
  qparams q = rounded(p);
  q.zero_point = static_cast<std::int32_t>(std::clamp(p.zero_point + 0.5F, min, max));
  return q;
}

/// Gradients of one element. Those of scale and zero point are summed over all elements.
///
///   q = rne(x / scale + zp): rounds after adding zp, unlike the forward pass
///   inside    d_in = d_out   d_scale = d_out * ((q - zp) * scale - x) / scale   d_zp = 0
///   outside   d_in = 0       d_scale = d_out * (quant_min or max - zp)
///             d_zp = -d_out * scale
///
/// Products and sums are fused to fma, as PyTorch's kernels are compiled. NaN has gradient 0.
class learnable_element {
 public:
  learnable_element(const qparams& p, double grad_factor)
      : p_(p),
        inverse_(1.0F / p.scale),
        zero_point_(static_cast<float>(p.zero_point)),
        min_(static_cast<float>(p.quant_min)),
        max_(static_cast<float>(p.quant_max)),
        factor_(static_cast<float>(grad_factor)) {}

  [[nodiscard]] bool inside(float x) const {
    const float q = integer_of(x);
    return q >= min_ && q <= max_;
  }

  [[nodiscard]] qparams_gradient operator()(float x, float grad) const {
    const float q = integer_of(x);
    if (q != q) return {};
    if (q < min_) return {grad * (min_ - zero_point_) * factor_, -grad * p_.scale * factor_};
    if (q > max_) return {grad * (max_ - zero_point_) * factor_, -grad * p_.scale * factor_};
    return {grad * std::fma(q - zero_point_, p_.scale, -x) * inverse_ * factor_, 0.0F};
  }

 private:
  [[nodiscard]] float integer_of(float x) const {
    return std::nearbyint(std::fma(x, inverse_, zero_point_));
  }

  qparams p_;
  float inverse_, zero_point_, min_, max_, factor_;
};

/// Gradients with respect to the input, written to grad_in, and to scale and zero point, both
/// multiplied by grad_factor. grad_in may be grad_out.
/// Source  PyTorch _fake_quantize_learnable_per_tensor_affine_backward
[[nodiscard]] inline qparams_gradient learnable_gradient(span<const float> in,
                                                         const learnable_qparams& p,
                                                         double grad_factor,
                                                         span<const float> grad_out,
                                                         span<float> grad_in) {
  const learnable_element element(rounded_backward(p), grad_factor);
  std::vector<float> scale(in.size());
  std::vector<float> zero_point(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const qparams_gradient g = element(in[i], grad_out[i]);
    scale[i] = g.scale;
    zero_point[i] = g.zero_point;
    grad_in[i] = element.inside(in[i]) ? grad_out[i] : 0.0F;
  }
  return {kernels::cascade_sum(scale), kernels::cascade_sum(zero_point)};
}

/// The same with the parameters of each slice along axis, whose zero points are rounded to even.
/// Sums are in memory order; PyTorch's order depends on the strides.
/// Requires  one learnable_qparams for each index along the axis
/// Source    PyTorch _fake_quantize_learnable_per_channel_affine_backward
[[nodiscard]] inline std::vector<qparams_gradient> learnable_gradient(
    span<const float> in, const shape& shape, int axis, span<const learnable_qparams> p,
    double grad_factor, span<const float> grad_out, span<float> grad_in) {
  std::vector<std::vector<float>> scale(p.size());
  std::vector<std::vector<float>> zero_point(p.size());
  for_each_slice(shape, axis, [&](std::size_t c, std::size_t offset, std::size_t count) {
    const learnable_element element(rounded(p[c]), grad_factor);
    for (std::size_t i = offset; i < offset + count; ++i) {
      const qparams_gradient g = element(in[i], grad_out[i]);
      scale[c].push_back(g.scale);
      zero_point[c].push_back(g.zero_point);
      grad_in[i] = element.inside(in[i]) ? grad_out[i] : 0.0F;
    }
  });
  std::vector<qparams_gradient> sums;
  for (std::size_t c = 0; c < p.size(); ++c)
    sums.push_back({kernels::cascade_sum(scale[c]), kernels::cascade_sum(zero_point[c])});
  return sums;
}

}  // namespace ctq::observers
