// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/window_shapes.hpp"

// Shapes for the tests of convolutions.

namespace samples {

/// A square kernel over a square image, padded so that stride 1 keeps its size.
constexpr ctq::conv2d_shape square_shape(int kernel, int stride, int in, int out, int size,
                                         int groups = 1) {
  return {.batch = 1,
          .in_h = size,
          .in_w = size,
          .in_channels = in,
          .out_channels = out,
          .kernel_h = kernel,
          .kernel_w = kernel,
          .stride_h = stride,
          .stride_w = stride,
          .padding_h = kernel / 2,
          .padding_w = kernel / 2,
          .groups = groups};
}

}  // namespace samples
