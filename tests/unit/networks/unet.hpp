// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/model.hpp"
#include "ctq/ops/builtin_ops.hpp"

// A U-Net of two levels: what is pooled on the way down is scaled up by transposed convolutions,
// beside what was there.

namespace networks {

constexpr auto unet(int size) {
  using namespace ctq::literals;
  namespace nn = ctq::nn;
  namespace fn = ctq::fn;
  return ctq::model(
      "x"_n = nn::placeholder({1, 2, size, size}),
      "enc1"_n = nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 3, .padding = 1}),
      "relu1"_n = nn::relu("enc1"_n), "pool1"_n = nn::max_pool2d("relu1"_n, {.kernel_size = 2}),
      "enc2"_n = nn::conv2d("pool1"_n, {.out_channels = 12, .kernel_size = 3, .padding = 1}),
      "relu2"_n = nn::relu("enc2"_n), "pool2"_n = nn::max_pool2d("relu2"_n, {.kernel_size = 2}),
      "mid"_n = nn::conv2d("pool2"_n, {.out_channels = 16, .kernel_size = 3, .padding = 1}),
      "relu3"_n = nn::relu("mid"_n),
      "up2"_n =
          nn::conv_transpose2d("relu3"_n, {.out_channels = 12, .kernel_size = 2, .stride = 2}),
      "cat2"_n = fn::cat({"up2"_n, "relu2"_n}, {.dim = 1}),
      "dec2"_n = nn::conv2d("cat2"_n, {.out_channels = 12, .kernel_size = 3, .padding = 1}),
      "relu4"_n = nn::relu("dec2"_n),
      "up1"_n = nn::conv_transpose2d("relu4"_n, {.out_channels = 8,
                                                 .kernel_size = 3,
                                                 .stride = 2,
                                                 .padding = 1,
                                                 .output_padding = 1,
                                                 .groups = 2,
                                                 .bias = false}),
      "bn1"_n = nn::batch_norm2d("up1"_n), "cat1"_n = fn::cat({"bn1"_n, "relu1"_n}, {.dim = 1}),
      "dec1"_n = nn::conv2d("cat1"_n, {.out_channels = 8, .kernel_size = 3, .padding = 1}),
      "relu5"_n = nn::relu("dec1"_n),
      "head"_n = nn::conv2d("relu5"_n, {.out_channels = 2, .kernel_size = 1}),
      "out"_n = nn::output("head"_n));
}

}  // namespace networks
