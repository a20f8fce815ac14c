// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/window_shapes.hpp"

// Shapes for the tests of depthwise convolutions: square kernels, one channel per group.

namespace samples {

constexpr ctq::conv2d_shape depthwise_shape(int channels, int h, int w, int stride, int padding,
                                            int kernel = 3) {
  return {.batch = 1,
          .in_h = h,
          .in_w = w,
          .in_channels = channels,
          .out_channels = channels,
          .kernel_h = kernel,
          .kernel_w = kernel,
          .stride_h = stride,
          .stride_w = stride,
          .padding_h = padding,
          .padding_w = padding,
          .groups = channels};
}

}  // namespace samples
