// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "ctq/kernels/sampling_point.hpp"

namespace ctq::kernels::reference {

/// Calls output(point of the row, point of the column, first element of the image, index of the
/// output pixel) for each output pixel.
template <class Output>
void for_each_sample(const resampling_shape& s, Output output) {
  std::ptrdiff_t pixel = 0;
  for (int n = 0; n < s.batch; ++n)
    for (int y = 0; y < s.out_h; ++y)
      for (int x = 0; x < s.out_w; ++x)
        output(sampling_point_of(y, s.in_h, s.scale_h(), s.sampling),
               sampling_point_of(x, s.in_w, s.scale_w(), s.sampling),
               std::ptrdiff_t{n} * s.in_h * s.in_w * s.channels, pixel++);
}

/// One value, interpolated along columns first, then along the row. value(row, column)
template <class Value>
[[nodiscard]] float sample(const sampling_point& y, const sampling_point& x, Value value) {
  return interpolated(x, interpolated(y, value(y.a, x.a), value(y.b, x.a)),
                      interpolated(y, value(y.a, x.b), value(y.b, x.b)));
}

/// Interpolation of images, nearest or linear.
///
/// Shapes    in [N, in_h, in_w, C] · out [N, out_h, out_w, C]
/// Rounding  linear: each axis in double, rounded to float32, columns first
/// Source    PyTorch aten/src/ATen/native/UpSample.h
inline void resampling(resampling_shape s, const float* in, float* out) noexcept {
  for_each_sample(s, [&](const sampling_point& y, const sampling_point& x, std::ptrdiff_t image,
                         std::ptrdiff_t pixel) {
    for (int c = 0; c < s.channels; ++c)
      out[pixel * s.channels + c] = sample(y, x, [&](int row, int column) {
        return in[image + (std::ptrdiff_t{row} * s.in_w + column) * s.channels + c];
      });
  });
}

/// On integers: dequantized, interpolated, quantized. Nearest copies, if the qparams are equal.
///
/// Requires  in within quant_min and quant_max of in_q
template <quantized Q>
inline void resampling(resampling_shape s, const Q* in, const qparams& in_q, const qparams& out_q,
                       Q* out) noexcept {
  const quantizer to = quantizer_of(out_q);
  for_each_sample(s, [&](const sampling_point& y, const sampling_point& x, std::ptrdiff_t image,
                         std::ptrdiff_t pixel) {
    for (int c = 0; c < s.channels; ++c) {
      const float value = sample(y, x, [&](int row, int column) {
        return dequantize(in[image + (std::ptrdiff_t{row} * s.in_w + column) * s.channels + c],
                          in_q);
      });
      out[pixel * s.channels + c] = quantize<Q>(value, to);
    }
  });
}

}  // namespace ctq::kernels::reference
