// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/resampling_shape.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "ctq/kernels/sampling_point.hpp"

namespace ctq::kernels::reference {

/// Calls output(points of the depth, the row and the column, first element of the image, index of
/// the output pixel) for each output pixel.
template <class Point, class Output>
void for_each_sample(const resampling_shape& s, Output output) {
  std::ptrdiff_t pixel = 0;
  for (int n = 0; n < s.batch; ++n)
    for (int z = 0; z < s.out_d; ++z)
      for (int y = 0; y < s.out_h; ++y)
        for (int x = 0; x < s.out_w; ++x)
          output(point_of<Point>(z, s.in_d, s.scale_d(), s.sampling),
                 point_of<Point>(y, s.in_h, s.scale_h(), s.sampling),
                 point_of<Point>(x, s.in_w, s.scale_w(), s.sampling),
                 std::ptrdiff_t{n} * s.in_d * s.in_h * s.in_w * s.channels, pixel++);
}

/// One value, interpolated along the depth first, then along columns, then along the row.
/// value(plane, row, column)
template <class Value>
[[nodiscard]] float sample(const sampling_point& z, const sampling_point& y,
                           const sampling_point& x, Value value) {
  const auto row = [&](int row, int column) {
    return interpolated(z, value(z.a, row, column), value(z.b, row, column));
  };
  return interpolated(x, interpolated(y, row(y.a, x.a), row(y.b, x.a)),
                      interpolated(y, row(y.a, x.b), row(y.b, x.b)));
}
template <class Value>
[[nodiscard]] float sample(const cubic_point&, const cubic_point& y, const cubic_point& x,
                           Value value) {
  float row[4];
  for (int k = 0; k < 4; ++k) {
    const float column[] = {value(0, y.index[0], x.index[k]), value(0, y.index[1], x.index[k]),
                            value(0, y.index[2], x.index[k]), value(0, y.index[3], x.index[k])};
    row[k] = interpolated(y, column);
  }
  return interpolated(x, row);
}

/// Computes each element: load(index in the input) returns a float, store(value, index in the
/// output) writes it.
template <class Point, class Load, class Store>
void resample(const resampling_shape& s, Load load, Store store) {
  for_each_sample<Point>(s, [&](const Point& z, const Point& y, const Point& x,
                                std::ptrdiff_t image, std::ptrdiff_t pixel) {
    for (int c = 0; c < s.channels; ++c) {
      const float value = sample(z, y, x, [&](int plane, int row, int column) {
        const std::ptrdiff_t line = std::ptrdiff_t{plane} * s.in_h + row;
        return load(image + (line * s.in_w + column) * s.channels + c);
      });
      store(value, pixel * s.channels + c);
    }
  });
}
template <class Load, class Store>
void resample_by_rule(const resampling_shape& s, Load load, Store store) {
  if (s.is_cubic()) return resample<cubic_point>(s, load, store);
  resample<sampling_point>(s, load, store);
}

/// Interpolation of images: nearest, linear or cubic.
///
/// Shapes    in [N, in_d, in_h, in_w, C] · out [N, out_d, out_h, out_w, C]; cubic: no depth
/// Rounding  each axis in double, rounded to float32: the depth first, then columns, then rows
/// Source    PyTorch aten/src/ATen/native/UpSample.h
inline void resampling(resampling_shape s, const float* in, float* out) noexcept {
  resample_by_rule(
      s, [&](std::ptrdiff_t i) { return in[i]; },
      [&](float value, std::ptrdiff_t i) { out[i] = value; });
}

/// On integers: dequantized, interpolated, quantized. Nearest copies, if the qparams are equal.
///
/// Requires  in within quant_min and quant_max of in_q
template <quantized Q>
inline void resampling(resampling_shape s, const Q* in, const qparams& in_q, const qparams& out_q,
                       Q* out) noexcept {
  const quantizer to = quantizer_of(out_q);
  resample_by_rule(
      s, [&](std::ptrdiff_t i) { return dequantize(in[i], in_q); },
      [&](float value, std::ptrdiff_t i) { out[i] = quantize<Q>(value, to); });
}

}  // namespace ctq::kernels::reference
