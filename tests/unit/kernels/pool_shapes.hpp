// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ctq/core/shapes/window_shapes.hpp"
#include "generator.hpp"

// Windows for the tests of pooling.

namespace samples {

[[nodiscard]] constexpr int pooled(int in, int kernel, int stride, int padding, int dilation,
                                   bool ceil_mode) {
  const int room = in + 2 * padding - dilation * (kernel - 1) - 1;
  if (room < 0) return 0;
  const int out = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
  return ceil_mode && (out - 1) * stride >= in + padding ? out - 1 : out;
}

/// The same window in both directions.
struct square_window {
  int kernel, stride, padding, dilation;
  bool ceil_mode;

  [[nodiscard]] constexpr ctq::pool_shape on(int batch, int h, int w, int channels,
                                             int divisor) const {
    return {.batch = batch,
            .in_h = h,
            .in_w = w,
            .channels = channels,
            .out_h = pooled(h, kernel, stride, padding, dilation, ceil_mode),
            .out_w = pooled(w, kernel, stride, padding, dilation, ceil_mode),
            .kernel_h = kernel,
            .kernel_w = kernel,
            .stride_h = stride,
            .stride_w = stride,
            .padding_h = padding,
            .padding_w = padding,
            .dilation_h = dilation,
            .dilation_w = dilation,
            .divisor = divisor};
  }
};

/// Windows with and without padding, overlap, dilation and ceil_mode, and adaptive ones. dilated:
/// for max pooling.
inline std::vector<ctq::pool_shape> pool_shapes(int channels, bool dilated) {
  std::vector<ctq::pool_shape> out;
  for (const int size : {1, 2, 5, 8}) {
    for (const int kernel : {1, 2, 3}) {
      for (const int stride : {1, 2, 3}) {
        for (const int padding : {0, 1}) {
          for (const int dilation : {1, 2}) {
            if (2 * padding > kernel || (dilation > 1 && !dilated)) continue;
            const square_window window{kernel, stride, padding, dilation, (size + stride) % 2 == 0};
            out.push_back(window.on(1 + size % 2, size, size + 1, channels, stride % 3 - 1));
          }
        }
      }
    }
  }
  for (const int to : {0, 1, 2, 3, 7}) {
    out.push_back({.batch = 2,
                   .in_h = 6,
                   .in_w = 7,
                   .channels = channels,
                   .out_h = to,
                   .out_w = to + 1,
                   .adaptive = 1});
  }
  // Adaptive windows of equal size.
  out.push_back({.batch = 1,
                 .in_h = 6,
                 .in_w = 8,
                 .channels = channels,
                 .out_h = 3,
                 .out_w = 4,
                 .adaptive = 1});
  return out;
}

/// A random one of these, or with a depth. dilated: for max pooling.
inline ctq::pool_shape random_pool(generator& random, bool dilated) {
  const int kernel = random.between(1, 4), stride = random.between(1, 3);
  const int padding = random.between(0, kernel / 2);
  const int dilation = dilated ? random.between(1, 2) : 1;
  const square_window window{kernel, stride, padding, dilation, random.between(0, 1) == 0};
  const int least = std::max(1, dilation * (kernel - 1) + 1 - 2 * padding);
  const int h = random.between(least, 9), w = random.between(least, 9);
  const int batch = random.between(1, 2), channels = random.between(0, 90);
  ctq::pool_shape s = window.on(batch, h, w, channels, random.between(0, 1));
  if (random.between(0, 1) == 0) return s;
  s.kernel_d = random.between(1, 3);
  s.stride_d = random.between(1, 3);
  s.padding_d = random.between(0, s.kernel_d / 2);
  s.dilation_d = dilated ? random.between(1, 2) : 1;
  s.in_d = random.between(std::max(1, s.dilation_d * (s.kernel_d - 1) + 1 - 2 * s.padding_d), 5);
  s.out_d = pooled(s.in_d, s.kernel_d, s.stride_d, s.padding_d, s.dilation_d, window.ceil_mode);
  s.adaptive = random.between(0, 9) == 0 ? 1 : 0;
  return s;
}

[[nodiscard]] inline std::size_t in_size(const ctq::pool_shape& s) {
  return static_cast<std::size_t>(s.batch * s.in_d * s.in_h * s.in_w * s.channels);
}
[[nodiscard]] inline std::size_t out_size(const ctq::pool_shape& s) {
  return static_cast<std::size_t>(s.batch * s.out_d * s.out_h * s.out_w * s.channels);
}

}  // namespace samples
