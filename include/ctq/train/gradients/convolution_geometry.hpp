// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>

#include "ctq/core/op_functions.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/ops/convolutions.hpp"

// Which pixels a convolution in training reads.

namespace ctq::training {

/// A convolution along two axes: where each tap of the kernel reads.
struct convolution_geometry {
  conv2d_options options{};
  shape in{}, out{};  // N, C, H, W

  [[nodiscard]] std::size_t groups() const { return static_cast<std::size_t>(options.groups); }
  /// Channels per group.
  [[nodiscard]] std::size_t inputs() const { return extent(in, 1) / groups(); }
  [[nodiscard]] std::size_t outputs() const { return extent(out, 1) / groups(); }
  [[nodiscard]] std::size_t in_pixels() const { return extent(in, 2) * extent(in, 3); }
  [[nodiscard]] std::size_t out_pixels() const { return extent(out, 2) * extent(out, 3); }
  [[nodiscard]] std::size_t taps() const {
    return static_cast<std::size_t>(options.kernel_size.h) *
           static_cast<std::size_t>(options.kernel_size.w);
  }
  [[nodiscard]] bool is_depthwise() const { return inputs() == 1 && groups() > 1; }
  /// Whether each output pixel reads only the input pixel in the same place.
  [[nodiscard]] bool is_pointwise() const {
    return taps() == 1 && options.stride == extent2d{1} && options.padding == extent2d{0};
  }

  static std::size_t extent(const shape& s, int axis) { return static_cast<std::size_t>(s[axis]); }

  /// Calls visit(first output pixel, first input pixel, count) for each row of a tap; the input
  /// pixels are stride.w apart, those outside of the image are left out.
  template <class Visit>
  void for_each_row(std::size_t tap, Visit visit) const {
    const conv2d_options& o = options;
    const int ky = static_cast<int>(tap) / o.kernel_size.w;
    const int kx = static_cast<int>(tap) % o.kernel_size.w;
    const int y0 = ky * o.dilation.h - o.padding.h, x0 = kx * o.dilation.w - o.padding.w;
    const int first = x0 < 0 ? (-x0 + o.stride.w - 1) / o.stride.w : 0;
    const int last = std::min(out[3], x0 > in[3] - 1 ? 0 : (in[3] - 1 - x0) / o.stride.w + 1);
    if (first >= last) return;
    for (int y = 0; y < out[2]; ++y) {
      const int from = y * o.stride.h + y0;
      if (from < 0 || from >= in[2]) continue;
      visit(static_cast<std::size_t>(y * out[3] + first),
            static_cast<std::size_t>(from * in[3] + first * o.stride.w + x0),
            static_cast<std::size_t>(last - first));
    }
  }
};

}  // namespace ctq::training
