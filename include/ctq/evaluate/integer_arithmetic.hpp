// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ctq/evaluate/convolution_shape.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"

// Linear layers and convolutions on integers, with shapes of run time: QNNPACK's arithmetic, one
// output after the other.
//
//   bias_q = rne(bias / (scale_in * scale_weight))
//   acc    = Σ (q_in - zero_point_in) * q_weight + bias_q
//   q      = clamp(rne(float(acc) * float(scale_in * scale_weight / scale_out)) + zero_point_out)

namespace ctq {

namespace integers {

/// What each output channel does with its sum.
struct requantizer {
  std::vector<std::int64_t> bias;
  std::vector<float> multiplier;
  std::int32_t zero_point{}, low{}, high{};

  [[nodiscard]] std::int32_t operator()(std::int64_t sum, std::size_t channel) const {
    const auto acc = static_cast<float>(sum + bias[channel]);
    const float steps = std::nearbyint(acc * multiplier[channel]);
    const auto least = static_cast<float>(low - zero_point);
    const auto most = static_cast<float>(high - zero_point);
    return static_cast<std::int32_t>(std::clamp(steps, least, most)) + zero_point;
  }
};

/// Requires a weight whose zero points are 0.
inline requantizer requantizer_of(const quantization& in, const quantization& weight,
                                  std::size_t outputs, const std::vector<float>* bias,
                                  const quantization& out, bool relu) {
  requantizer to;
  const quant_range r = range_of(out.dtype);
  to.zero_point = out.zero_point[0];
  to.low = static_cast<std::int32_t>(relu ? std::max<std::int64_t>(r.min, to.zero_point) : r.min);
  to.high = static_cast<std::int32_t>(r.max);
  for (std::size_t n = 0; n < outputs; ++n) {
    const auto scale_in = static_cast<float>(in.scale[0]);
    const auto scale = static_cast<float>(weight.scale[weight.is_per_channel() ? n : 0]);
    const float steps = bias == nullptr ? 0.0F : kernels::bias_steps((*bias)[n], scale_in, scale);
    to.bias.push_back(static_cast<std::int64_t>(std::clamp(steps, -0x1p31F, 0x1.fffffep30F)));
    to.multiplier.push_back(
        kernels::output_multiplier(scale_in, scale, static_cast<float>(out.scale[0])));
  }
  return to;
}

/// Extents of up to three axes, seen as three whose first ones have one element.
using triple = std::array<int, 3>;

inline triple last_axes(const std::vector<int>& of, std::size_t axes, int filler) {
  triple t{filler, filler, filler};
  for (std::size_t i = 0; i < axes; ++i) t[3 - axes + i] = of[of.size() - axes + i];
  return t;
}

}  // namespace integers

/// in [..., K] · weight [N, K] · bias [N] or null · out [..., N]
[[nodiscard]] inline quantized_tensor integer_linear(const quantized_tensor& in,
                                                     const quantized_tensor& weight,
                                                     const std::vector<float>* bias,
                                                     const quantization& out, bool relu) {
  const auto outputs = static_cast<std::size_t>(weight.q.shape[0]);
  const auto features = static_cast<std::size_t>(weight.q.shape[1]);
  const auto to = integers::requantizer_of(in.steps, weight.steps, outputs, bias, out, relu);
  const std::int32_t zero_point = in.steps.zero_point[0];
  quantized_tensor result{out, {in.q.shape, {}}};
  result.q.shape.back() = static_cast<int>(outputs);
  for (std::size_t row = 0; row < in.q.data.size(); row += features)
    for (std::size_t n = 0; n < outputs; ++n) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < features; ++k)
        sum += std::int64_t{in.q.data[row + k] - zero_point} * weight.q.data[n * features + k];
      result.q.data.push_back(to(sum, n));
    }
  return result;
}

/// in [B, C, ...] · weight [N, C/groups, ...] · bias [N] or null · out [B, N, ...]
/// Requires  a window that fits, and one stride, padding and dilation an axis
[[nodiscard]] inline quantized_tensor integer_convolution(const quantized_tensor& in,
                                                          const quantized_tensor& weight,
                                                          const std::vector<float>* bias,
                                                          const window_steps& w,
                                                          const quantization& out, bool relu) {
  const std::size_t axes = weight.q.shape.size() - 2;
  const integers::triple wide = integers::last_axes(in.q.shape, axes, 1);
  const integers::triple kernel = integers::last_axes(weight.q.shape, axes, 1);
  const integers::triple stride = integers::last_axes(w.stride, axes, 1);
  const integers::triple padding = integers::last_axes(w.padding, axes, 0);
  const integers::triple dilation = integers::last_axes(w.dilation, axes, 1);
  integers::triple narrow{};
  for (std::size_t a = 0; a < 3; ++a)
    narrow[a] = (wide[a] + 2 * padding[a] - dilation[a] * (kernel[a] - 1) - 1) / stride[a] + 1;

  quantized_tensor result{out, {in.q.shape, {}}};
  result.q.shape[1] = weight.q.shape[0];
  for (std::size_t a = 0; a < axes; ++a) result.q.shape[2 + a] = narrow[3 - axes + a];
  const int batch = in.q.shape[0];
  const int channels = in.q.shape[1];
  const int outputs = weight.q.shape[0];
  const int depth = weight.q.shape[1];  // channels of a group
  const int outputs_of_group = outputs / w.groups;
  const auto to = integers::requantizer_of(in.steps, weight.steps,
                                           static_cast<std::size_t>(outputs), bias, out, relu);
  const std::int32_t zero_point = in.steps.zero_point[0];
  const auto at = [](const integers::triple& extents, int plane, int z, int y, int x) {
    return ((static_cast<std::size_t>(plane) * static_cast<std::size_t>(extents[0]) +
             static_cast<std::size_t>(z)) *
                static_cast<std::size_t>(extents[1]) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(extents[2]) +
           static_cast<std::size_t>(x);
  };
  const auto sum_at = [&](int b, int n, const integers::triple& o) {
    std::int64_t sum = 0;
    const int group = n / outputs_of_group;
    for (int c = 0; c < depth; ++c)
      for (int kz = 0; kz < kernel[0]; ++kz)
        for (int ky = 0; ky < kernel[1]; ++ky)
          for (int kx = 0; kx < kernel[2]; ++kx) {
            const int z = o[0] * stride[0] - padding[0] + kz * dilation[0];
            const int y = o[1] * stride[1] - padding[1] + ky * dilation[1];
            const int x = o[2] * stride[2] - padding[2] + kx * dilation[2];
            if (z < 0 || y < 0 || x < 0 || z >= wide[0] || y >= wide[1] || x >= wide[2]) continue;
            const int plane = b * channels + group * depth + c;
            sum += std::int64_t{in.q.data[at(wide, plane, z, y, x)] - zero_point} *
                   weight.q.data[at(kernel, n * depth + c, kz, ky, kx)];
          }
    return sum;
  };
  for (int b = 0; b < batch; ++b)
    for (int n = 0; n < outputs; ++n)
      for (int z = 0; z < narrow[0]; ++z)
        for (int y = 0; y < narrow[1]; ++y)
          for (int x = 0; x < narrow[2]; ++x)
            result.q.data.push_back(to(sum_at(b, n, {z, y, x}), static_cast<std::size_t>(n)));
  return result;
}

namespace integers {

inline quantized_tensor with_steps(const quantized_tensor& x, double scale, std::int64_t zp) {
  quantized_tensor out = x;
  out.steps.scale = {scale};
  out.steps.zero_point = {static_cast<std::int32_t>(zp)};
  return out;
}

/// (q - zero_point + term) of the scale of x, in steps of another scale.
inline quantized_tensor requantized(const quantized_tensor& x, std::int64_t term, double scale,
                                    std::int64_t zero_point) {
  const auto multiplier = static_cast<float>(x.steps.scale[0] / scale);
  const quant_range r = range_of(x.steps.dtype);
  quantized_tensor out = with_steps(x, scale, zero_point);
  for (std::int32_t& q : out.q.data) {
    const auto sum = static_cast<float>(q - x.steps.zero_point[0] + term);
    const auto steps = static_cast<std::int64_t>(std::nearbyint(sum * multiplier));
    q = static_cast<std::int32_t>(std::clamp(steps + zero_point, r.min, r.max));
  }
  return out;
}

}  // namespace integers

/// x * factor. The steps become wider, the integers stay as they are; a negative factor turns the
/// range around.
/// Source  PyTorch, the product of a quantized tensor and a number
[[nodiscard]] inline quantized_tensor integer_mul(const quantized_tensor& x, double factor) {
  const quant_range r = range_of(x.steps.dtype);
  const double scale = x.steps.scale[0];
  const std::int64_t zero_point = x.steps.zero_point[0];
  if (factor > 0.0) return integers::with_steps(x, scale * factor, zero_point);
  quantized_tensor out = integers::with_steps(x, factor == 0.0 ? 1.0 : -factor * scale,
                                              factor == 0.0 ? 0 : r.max - zero_point + r.min);
  for (std::int32_t& q : out.q.data)
    q = factor == 0.0 ? 0 : static_cast<std::int32_t>(r.max + r.min - q);
  return out;
}

/// x + term. The zero point moves; if it would leave the range, the steps become wider instead.
/// Source  PyTorch quantized::add(Tensor, Scalar)
[[nodiscard]] inline quantized_tensor integer_add(const quantized_tensor& x, double term) {
  const quant_range r = range_of(x.steps.dtype);
  const double scale = x.steps.scale[0];
  const auto steps_of_term = static_cast<std::int64_t>(std::nearbyint(term / scale));
  const std::int64_t zero_point = std::int64_t{x.steps.zero_point[0]} - steps_of_term;
  const auto steps = static_cast<double>(r.max - r.min);
  const auto widened = [&](std::int64_t extent, std::int64_t to) {
    return integers::requantized(x, steps_of_term, scale * static_cast<double>(extent) / steps, to);
  };
  if (zero_point < r.min) return widened(r.max - zero_point, r.min);
  if (zero_point > r.max) return widened(zero_point - r.min, r.max);
  return integers::with_steps(x, scale, zero_point);
}

/// Steps below zero become zero.
[[nodiscard]] inline quantized_tensor integer_relu(quantized_tensor x) {
  for (std::int32_t& q : x.q.data) q = std::max(q, x.steps.zero_point[0]);
  return x;
}

}  // namespace ctq
