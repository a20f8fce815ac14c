// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/reference/requantize.hpp"

// Transposed convolution in plain loops: the reference for testing the fast kernels. Not to be
// optimized.

namespace ctq::kernels::reference {

/// What a tap of the kernel is multiplied with at an output: an input, the border of the image, or
/// a zero between two inputs.
enum class transposed_tap : unsigned char { input, border, between };

/// Calls tap(what, input, weight) for each element of the kernel at output pixel (y, x) of a
/// channel, from the last tap to the first: input is an index into the image [H,W,C], if there is
/// one; weight is an index into the weights [O,kh,kw,I/g].
template <class Tap>
void for_each_transposed_tap(const conv_transpose2d_shape& s, int y, int x, int channel, Tap tap) {
  const int in_group = s.in_channels / s.groups;
  const int group = channel / (s.out_channels / s.groups);
  for (int ky = s.kernel_h - 1; ky >= 0; --ky) {
    for (int kx = s.kernel_w - 1; kx >= 0; --kx) {
      const int down = y + s.padding_h - ky * s.dilation_h;
      const int right = x + s.padding_w - kx * s.dilation_w;
      const int in_y = down / s.stride_h;
      const int in_x = right / s.stride_w;
      const bool inside = down >= 0 && right >= 0 && in_y < s.in_h && in_x < s.in_w;
      const transposed_tap what = down % s.stride_h != 0 || right % s.stride_w != 0
                                      ? transposed_tap::between
                                  : inside ? transposed_tap::input
                                           : transposed_tap::border;
      const std::ptrdiff_t pixel = std::ptrdiff_t{in_y} * s.in_w + in_x;
      const std::ptrdiff_t taps = (std::ptrdiff_t{channel} * s.kernel_h + ky) * s.kernel_w + kx;
      for (int ic = 0; ic < in_group; ++ic)
        tap(what, pixel * s.in_channels + group * in_group + ic, taps * in_group + ic);
    }
  }
}

/// Calls output(first element of the image, y, x, channel, index into [N,H,W,O]) for each output
/// element.
template <class Output>
void for_each_transposed_output(const conv_transpose2d_shape& s, Output output) {
  const std::ptrdiff_t image = std::ptrdiff_t{s.in_h} * s.in_w * s.in_channels;
  std::ptrdiff_t index = 0;
  for (int n = 0; n < s.batch; ++n)
    for (int y = 0; y < s.out_h(); ++y)
      for (int x = 0; x < s.out_w(); ++x)
        for (int channel = 0; channel < s.out_channels; ++channel)
          output(n * image, y, x, channel, index++);
}

/// 2-d transposed convolution of 8-bit integers: of an image with stride - 1 zeros between its
/// pixels, zeros being the zero point.
///
///   out[y,x,o] = requantize(bias[o] + Σ_(ky,kx,ic) in[(y+p-ky*d)/s, (x+p-kx*d)/s, ic] *
///                weight[o,ky,kx,ic])
///
/// Shapes    in [N,H,W,C] · weight [O,kh,kw,C/g] · bias [O] · multiplier [O] · out [N,H',W',O]
/// Units     in, out: quantized values (uint8 or int8) · bias: int32, input zero point folded in
/// Padding   where the indices are no whole numbers, or outside of the image, in is in_zero_point,
///           as the folded bias assumes
/// Rounding  accumulation exact, modulo 2^32; requantization rounds once, ties to even
/// Source    PyTorch quantized::conv_transpose2d, in QNNPACK's arithmetic
template <class In, class Out>
void conv_transpose2d(const conv_transpose2d_shape& s, const In* in, const std::int8_t* weight,
                      const std::int32_t* bias, const float* multiplier, const output_range& to,
                      std::int32_t in_zero_point, Out* out) {
  for_each_transposed_output(s, [&](std::ptrdiff_t image, int y, int x, int channel,
                                    std::ptrdiff_t index) {
    auto sum = static_cast<std::uint32_t>(bias[channel]);
    for_each_transposed_tap(
        s, y, x, channel, [&](transposed_tap what, std::ptrdiff_t i, std::ptrdiff_t w) {
          const std::int32_t value = what == transposed_tap::input ? in[image + i] : in_zero_point;
          sum += static_cast<std::uint32_t>(value * weight[w]);
        });
    out[index] =
        static_cast<Out>(requantize(static_cast<std::int32_t>(sum), multiplier[channel], to));
  });
}

/// The same in float32: acc starts with the bias, each tap is one fma, from the last tap to the
/// first. Taps between pixels are left out; the border is 0, so that infinite weights give NaN
/// there. relu keeps NaN.
inline void conv_transpose2d(const conv_transpose2d_shape& s, const float* in, const float* weight,
                             const float* bias, bool relu, float* out) {
  for_each_transposed_output(
      s, [&](std::ptrdiff_t image, int y, int x, int channel, std::ptrdiff_t index) {
        float acc = bias[channel];
        for_each_transposed_tap(
            s, y, x, channel, [&](transposed_tap what, std::ptrdiff_t i, std::ptrdiff_t w) {
              if (what == transposed_tap::between) return;
              acc = std::fma(what == transposed_tap::input ? in[image + i] : 0.0F, weight[w], acc);
            });
        out[index] = relu && acc < 0.0F ? 0.0F : acc;
      });
}

}  // namespace ctq::kernels::reference
