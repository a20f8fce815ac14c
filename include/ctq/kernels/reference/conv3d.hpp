// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/reference/requantize.hpp"

// Convolution along three axes in plain loops: the reference for testing the fast kernels. Not to
// be optimized.

namespace ctq::kernels::reference {

/// Calls tap(input, weight) for each element under the kernel at an output pixel (image, z, y, x)
/// of a channel, in the order (ky, kx, kz, ic): input is an index into [N,D,H,W,C], or -1 in the
/// padding; weight is an index into the weights [O,kh,kw,kd,I/g].
template <class Tap>
void for_each_tap(const conv3d_shape& s, const int (&pixel)[4], int channel, Tap tap) {
  const int in_group = s.in_channels / s.groups;
  const int group = channel / (s.out_channels / s.groups);
  std::ptrdiff_t weight = std::ptrdiff_t{channel} * s.kernel_h * s.kernel_w * s.kernel_d * in_group;
  for (int ky = 0; ky < s.kernel_h; ++ky) {
    for (int kx = 0; kx < s.kernel_w; ++kx) {
      for (int kz = 0; kz < s.kernel_d; ++kz) {
        const int z = pixel[1] * s.stride_d + kz * s.dilation_d - s.padding_d;
        const int y = pixel[2] * s.stride_h + ky * s.dilation_h - s.padding_h;
        const int x = pixel[3] * s.stride_w + kx * s.dilation_w - s.padding_w;
        const bool inside = z >= 0 && z < s.in_d && y >= 0 && y < s.in_h && x >= 0 && x < s.in_w;
        const std::ptrdiff_t from =
            ((std::ptrdiff_t{pixel[0]} * s.in_d + z) * s.in_h + y) * s.in_w + x;
        for (int ic = 0; ic < in_group; ++ic, ++weight)
          tap(inside ? from * s.in_channels + group * in_group + ic : -1, weight);
      }
    }
  }
}

/// Calls output(pixel (image, z, y, x), channel, index into [N,D',H',W',O]) for each output
/// element.
///   Shape  with a depth: conv3d_shape or conv_transpose3d_shape
template <class Shape, class Output>
void for_each_output3d(const Shape& s, Output output) {
  std::ptrdiff_t index = 0;
  for (int n = 0; n < s.batch; ++n)
    for (int z = 0; z < s.out_d(); ++z)
      for (int y = 0; y < s.out_h(); ++y)
        for (int x = 0; x < s.out_w(); ++x)
          for (int channel = 0; channel < s.out_channels; ++channel)
            output({n, z, y, x}, channel, index++);
}

/// 3-d convolution of 8-bit integers.
///
///   out = requantize(bias[o] + Σ_(ky,kx,kz,ic) in[...] * weight[o,ky,kx,kz,ic])
///
/// Shapes    in [N,D,H,W,C] · weight [O,kh,kw,kd,C/g] · bias [O] or null · multiplier [O] ·
///           out [N,D',H',W',O]
/// Units     in, out: quantized values (uint8 or int8) · bias: int32, input zero point folded in
/// Padding   has the value in_zero_point, as the folded bias assumes
/// Rounding  accumulation exact, modulo 2^32; requantization rounds once, ties to even
/// Source    PyTorch quantized::conv3d, in QNNPACK's arithmetic
template <class In, class Out>
void conv3d(const conv3d_shape& s, const In* in, const std::int8_t* weight,
            const std::int32_t* bias, const float* multiplier, const output_range& to,
            std::int32_t in_zero_point, Out* out) {
  for_each_output3d(s, [&](const int(&pixel)[4], int channel, std::ptrdiff_t index) {
    auto sum = static_cast<std::uint32_t>(bias == nullptr ? 0 : bias[channel]);
    for_each_tap(s, pixel, channel, [&](std::ptrdiff_t i, std::ptrdiff_t w) {
      const std::int32_t value = i < 0 ? in_zero_point : in[i];
      sum += static_cast<std::uint32_t>(value * weight[w]);
    });
    out[index] =
        static_cast<Out>(requantize(static_cast<std::int32_t>(sum), multiplier[channel], to));
  });
}

/// The same in float32: acc starts with the bias, each tap is one fma, in order. Padding is a tap
/// with input 0, so that infinite weights give NaN there, as in PyTorch. relu keeps NaN.
inline void conv3d(const conv3d_shape& s, const float* in, const float* weight, const float* bias,
                   bool relu, float* out) {
  for_each_output3d(s, [&](const int(&pixel)[4], int channel, std::ptrdiff_t index) {
    float acc = bias == nullptr ? 0.0F : bias[channel];
    for_each_tap(s, pixel, channel, [&](std::ptrdiff_t i, std::ptrdiff_t w) {
      acc = std::fma(i < 0 ? 0.0F : in[i], weight[w], acc);
    });
    out[index] = relu && acc < 0.0F ? 0.0F : acc;
  });
}

}  // namespace ctq::kernels::reference
