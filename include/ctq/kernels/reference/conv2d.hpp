// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/reference/requantize.hpp"

// Convolution in plain loops: the reference for testing the fast kernels. Not to be optimized.

namespace ctq::kernels::reference {

/// Calls tap(input, weight) for each element under the kernel at output pixel (y, x) of a channel,
/// in the order (ky, kx, ic): input is an index into the image [H,W,C], or -1 in the padding;
/// weight is an index into the weights [O,kh,kw,I/g].
template <class Tap>
void for_each_tap(const conv2d_shape& s, int y, int x, int channel, Tap tap) {
  const int group = channel / s.out_group();
  std::ptrdiff_t weight = std::ptrdiff_t{channel} * s.kernel_h * s.kernel_w * s.in_group();
  for (int ky = 0; ky < s.kernel_h; ++ky) {
    for (int kx = 0; kx < s.kernel_w; ++kx) {
      const int in_y = y * s.stride_h + ky * s.dilation_h - s.padding_h;
      const int in_x = x * s.stride_w + kx * s.dilation_w - s.padding_w;
      const bool inside = in_y >= 0 && in_y < s.in_h && in_x >= 0 && in_x < s.in_w;
      const std::ptrdiff_t pixel = std::ptrdiff_t{in_y} * s.in_w + in_x;
      for (int ic = 0; ic < s.in_group(); ++ic, ++weight) {
        tap(inside ? pixel * s.in_channels + group * s.in_group() + ic : -1, weight);
      }
    }
  }
}

/// Calls output(image, y, x, channel, index into [N,H,W,O]) for each output element.
template <class Output>
void for_each_output(const conv2d_shape& s, Output output) {
  std::ptrdiff_t index = 0;
  for (int n = 0; n < s.batch; ++n) {
    for (int y = 0; y < s.out_h(); ++y) {
      for (int x = 0; x < s.out_w(); ++x) {
        for (int channel = 0; channel < s.out_channels; ++channel) {
          output(n, y, x, channel, index++);
        }
      }
    }
  }
}

/// Σ_(ky,kx,ic) in[...] * weight[o,ky,kx,ic] of one output element of an image, modulo 2^32, exact.
template <class In>
[[nodiscard]] std::uint32_t sum_of_products(const conv2d_shape& s, const In* image,
                                            const std::int8_t* weight, std::int32_t in_zero_point,
                                            int y, int x, int channel) {
  std::uint32_t sum = 0;
  for_each_tap(s, y, x, channel, [&](std::ptrdiff_t i, std::ptrdiff_t w) {
    const std::int32_t value = i < 0 ? in_zero_point : image[i];
    sum += static_cast<std::uint32_t>(value * weight[w]);
  });
  return sum;
}

/// Calls output(channel, index into [N,H,W,O], sum) for each output element of a convolution of
/// 8-bit integers: sum = bias[o] + Σ_(ky,kx,ic) in[...] * weight[o,ky,kx,ic], modulo 2^32, exact.
template <class In, class Output>
void for_each_accumulator(const conv2d_shape& s, const In* in, const std::int8_t* weight,
                          const std::int32_t* bias, std::int32_t in_zero_point, Output output) {
  const std::ptrdiff_t image = std::ptrdiff_t{s.in_h} * s.in_w * s.in_channels;
  for_each_output(s, [&](int n, int y, int x, int channel, std::ptrdiff_t index) {
    const auto start = static_cast<std::uint32_t>(bias == nullptr ? 0 : bias[channel]);
    const std::uint32_t products =
        sum_of_products(s, in + n * image, weight, in_zero_point, y, x, channel);
    output(channel, index, static_cast<std::int32_t>(start + products));
  });
}

/// 2-d convolution of 8-bit integers.
///
///   out = requantize(bias[o] + Σ_(ky,kx,ic) in[...] * weight[o,ky,kx,ic])
///
/// Shapes    in [N,H,W,C] · weight [O,kh,kw,C/g] · bias [O] or null · multiplier [O] ·
///           out [N,H',W',O]
/// Units     in, out: quantized values (uint8 or int8) · bias: int32, input zero point folded in
/// Padding   has the value in_zero_point, as the folded bias assumes
/// Rounding  accumulation exact, modulo 2^32; requantization rounds once, ties to even
/// Source    PyTorch quantized::conv2d, in QNNPACK's arithmetic
template <class In, class Out>
void conv2d(const conv2d_shape& s, const In* in, const std::int8_t* weight,
            const std::int32_t* bias, const float* multiplier, const output_range& to,
            std::int32_t in_zero_point, Out* out) {
  for_each_accumulator(s, in, weight, bias, in_zero_point,
                       [&](int channel, std::ptrdiff_t index, std::int32_t sum) {
                         out[index] = static_cast<Out>(requantize(sum, multiplier[channel], to));
                       });
}

/// The same in float32: acc starts with the bias, each tap is one fma, in order. Padding is a tap
/// with input 0, so that infinite weights give NaN there, as in PyTorch. relu keeps NaN.
inline void conv2d(const conv2d_shape& s, const float* in, const float* weight, const float* bias,
                   bool relu, float* out) {
  const std::ptrdiff_t image = std::ptrdiff_t{s.in_h} * s.in_w * s.in_channels;
  for_each_output(s, [&](int n, int y, int x, int channel, std::ptrdiff_t index) {
    float acc = bias == nullptr ? 0.0F : bias[channel];
    for_each_tap(s, y, x, channel, [&](std::ptrdiff_t i, std::ptrdiff_t w) {
      acc = std::fma(i < 0 ? 0.0F : in[n * image + i], weight[w], acc);
    });
    out[index] = relu && acc < 0.0F ? 0.0F : acc;
  });
}

}  // namespace ctq::kernels::reference
