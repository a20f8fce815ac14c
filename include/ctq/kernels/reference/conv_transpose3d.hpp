// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/reference/conv3d.hpp"
#include "ctq/kernels/reference/conv_transpose2d.hpp"
#include "ctq/kernels/reference/requantize.hpp"

// Transposed convolution along three axes in plain loops: the reference for testing the fast
// kernels. Not to be optimized.

namespace ctq::kernels::reference {

/// Calls tap(what, input, weight) for each element of the kernel at an output pixel (image, z, y,
/// x) of a channel, from the last tap to the first in the order (ky, kx, kz), channels ascending:
/// input is an index into [N,D,H,W,C], if there is one; weight is an index into the weights
/// [O,kh,kw,kd,I/g].
template <class Tap>
void for_each_transposed_tap(const conv_transpose3d_shape& s, const int (&pixel)[4], int channel,
                             Tap tap) {
  const int in_group = s.in_channels / s.groups;
  const int group = channel / (s.out_channels / s.groups);
  for (int ky = s.kernel_h - 1; ky >= 0; --ky) {
    for (int kx = s.kernel_w - 1; kx >= 0; --kx) {
      for (int kz = s.kernel_d - 1; kz >= 0; --kz) {
        const int behind = pixel[1] + s.padding_d - kz * s.dilation_d;
        const int down = pixel[2] + s.padding_h - ky * s.dilation_h;
        const int right = pixel[3] + s.padding_w - kx * s.dilation_w;
        const int z = behind / s.stride_d, y = down / s.stride_h, x = right / s.stride_w;
        const bool between =
            behind % s.stride_d != 0 || down % s.stride_h != 0 || right % s.stride_w != 0;
        const bool inside =
            behind >= 0 && down >= 0 && right >= 0 && z < s.in_d && y < s.in_h && x < s.in_w;
        const transposed_tap what = between  ? transposed_tap::between
                                    : inside ? transposed_tap::input
                                             : transposed_tap::border;
        const std::ptrdiff_t from =
            ((std::ptrdiff_t{pixel[0]} * s.in_d + z) * s.in_h + y) * s.in_w + x;
        const std::ptrdiff_t taps =
            ((std::ptrdiff_t{channel} * s.kernel_h + ky) * s.kernel_w + kx) * s.kernel_d + kz;
        for (int ic = 0; ic < in_group; ++ic)
          tap(what, from * s.in_channels + group * in_group + ic, taps * in_group + ic);
      }
    }
  }
}

/// 3-d transposed convolution of 8-bit integers: of an image with stride - 1 zeros between its
/// pixels, zeros being the zero point.
///
///   out = requantize(bias[o] + Σ_(ky,kx,kz,ic) in[...] * weight[o,ky,kx,kz,ic])
///
/// Shapes    in [N,D,H,W,C] · weight [O,kh,kw,kd,C/g] · bias [O] · multiplier [O] ·
///           out [N,D',H',W',O]
/// Units     in, out: quantized values (uint8 or int8) · bias: int32, input zero point folded in
/// Padding   where the indices are no whole numbers, or outside of the image, in is in_zero_point,
///           as the folded bias assumes
/// Rounding  accumulation exact, modulo 2^32; requantization rounds once, ties to even
/// Source    PyTorch quantized::conv_transpose3d, in QNNPACK's arithmetic
template <class In, class Out>
void conv_transpose3d(const conv_transpose3d_shape& s, const In* in, const std::int8_t* weight,
                      const std::int32_t* bias, const float* multiplier, const output_range& to,
                      std::int32_t in_zero_point, Out* out) {
  for_each_output3d(s, [&](const int(&pixel)[4], int channel, std::ptrdiff_t index) {
    auto sum = static_cast<std::uint32_t>(bias[channel]);
    for_each_transposed_tap(
        s, pixel, channel, [&](transposed_tap what, std::ptrdiff_t i, std::ptrdiff_t w) {
          const std::int32_t value = what == transposed_tap::input ? in[i] : in_zero_point;
          sum += static_cast<std::uint32_t>(value * weight[w]);
        });
    out[index] =
        static_cast<Out>(requantize(static_cast<std::int32_t>(sum), multiplier[channel], to));
  });
}

/// The same in float32: acc starts with the bias, each tap is one fma, in order. Taps between
/// pixels are left out; the border is 0, so that infinite weights give NaN there. relu keeps NaN.
inline void conv_transpose3d(const conv_transpose3d_shape& s, const float* in, const float* weight,
                             const float* bias, bool relu, float* out) {
  for_each_output3d(s, [&](const int(&pixel)[4], int channel, std::ptrdiff_t index) {
    float acc = bias[channel];
    for_each_transposed_tap(
        s, pixel, channel, [&](transposed_tap what, std::ptrdiff_t i, std::ptrdiff_t w) {
          if (what == transposed_tap::between) return;
          acc = std::fma(what == transposed_tap::input ? in[i] : 0.0F, weight[w], acc);
        });
    out[index] = relu && acc < 0.0F ? 0.0F : acc;
  });
}

}  // namespace ctq::kernels::reference
