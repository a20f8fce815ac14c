// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"

// The measured shapes. `others` is the speedup of the best of oneDNN 3.14, ONNX Runtime 1.30,
// FBGEMM and XNNPACK of 2026 over oneDNN 2.6.3 on a Sapphire Rapids Xeon, all with AMX, to estimate
// libraries that are not installed. Shapes that are not `counted` are excluded from the means.

namespace bench {

struct gemm_entry {
  ctq::linear_shape shape;  // M, K, N
  double others = 1.0;
  bool counted = true;
};

[[nodiscard]] constexpr ctq::linear_shape mnk(int m, int n, int k) { return {m, k, n}; }

inline constexpr gemm_entry gemms[] = {
    {mnk(8, 16, 32), 6.8},
    {mnk(64, 64, 64), 1.56},
    {mnk(128, 128, 128)},
    {mnk(256, 256, 256)},
    {mnk(512, 512, 512), 1.04},
    {mnk(1024, 1024, 1024), 1.02},
    {mnk(2048, 2048, 2048), 1.17},
    {mnk(1, 1000, 512), 1.67},
    {mnk(1, 4096, 4096), 1.23},
    {mnk(4, 1024, 1024)},
    {mnk(16, 768, 768)},
    {mnk(128, 768, 3072), 1.06},
    {mnk(3136, 64, 64)},
    {mnk(784, 256, 128)},
    {mnk(196, 512, 1024)},
    {mnk(49, 2048, 512)},
    {mnk(2, 1024, 1024), 1.0, false},  // between one row and four
    {mnk(100, 10, 784), 1.0, false},   // few outputs
    {mnk(33, 130, 127), 1.0, false},   // tails everywhere
};

struct conv_entry {
  ctq::conv2d_shape shape;
  double others = 1.0;
  bool counted = true;
};

/// A square kernel over a square image, padded so that stride 1 keeps its size.
[[nodiscard]] constexpr ctq::conv2d_shape square(int kernel, int stride, int in, int out, int size,
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

[[nodiscard]] constexpr ctq::conv2d_shape depthwise(int kernel, int stride, int channels,
                                                    int size) {
  return square(kernel, stride, channels, channels, size, channels);
}

inline constexpr conv_entry convs[] = {
    {square(7, 2, 3, 64, 224)},
    {square(3, 1, 64, 64, 56), 1.07},
    {square(1, 1, 64, 256, 56)},
    {square(3, 1, 128, 128, 28)},
    {square(3, 1, 256, 256, 14), 1.23},
    {square(3, 1, 512, 512, 7), 1.68},
    {square(1, 2, 1024, 2048, 14), 1.06},
    {square(3, 1, 1, 8, 28), 1.31},
    {square(3, 1, 8, 16, 14), 2.8},
    {square(3, 1, 32, 32, 14), 1.0, false},  // of the example network
    {square(3, 1, 64, 64, 7), 1.0, false},
    {square(3, 2, 48, 96, 28), 1.0, false},
    {square(3, 1, 128, 128, 28, 32), 1.0, false},
};

inline constexpr conv_entry depthwises[] = {
    {depthwise(3, 1, 32, 112)},
    {depthwise(3, 2, 144, 56), 1.03},
    {depthwise(3, 1, 384, 14)},
    {depthwise(3, 1, 960, 7)},
    {depthwise(3, 1, 16, 112), 1.0, false},  // fewer channels than a register holds
    {depthwise(5, 1, 240, 14), 1.0, false},
    {depthwise(3, 2, 32, 14), 1.0, false},  // of the example network
};

inline constexpr int counts[] = {1 << 10, 1 << 16, 1 << 26};

}  // namespace bench
