// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/model.hpp"
#include "ctq/ops/builtin_ops.hpp"

// Volumes of voxels, or videos: convolutions along three axes, whole as in C3D, in halves as in
// R(2+1)D, in groups and depthwise, and every pool of three axes.

namespace networks {

constexpr auto volumes(int planes) {
  using namespace ctq::literals;
  namespace nn = ctq::nn;
  namespace fn = ctq::fn;
  namespace op = ctq::op;
  return ctq::model(
      "x"_n = nn::placeholder({1, 3, planes, 9, 10}),
      "conv1"_n = nn::conv3d("x"_n, {.out_channels = 12, .kernel_size = 3, .padding = 1}),
      "bn1"_n = nn::batch_norm3d("conv1"_n), "relu1"_n = nn::relu("bn1"_n),
      "pool1"_n = nn::max_pool3d("relu1"_n, {.kernel_size = {1, 2, 2}}),
      "plane"_n = nn::conv3d("pool1"_n,
                             {.out_channels = 12, .kernel_size = {1, 3, 3}, .padding = {0, 1, 1}}),
      "time"_n = nn::conv3d("plane"_n,
                            {.out_channels = 12, .kernel_size = {3, 1, 1}, .padding = {1, 0, 0}}),
      "sum"_n = op::add("time"_n, "pool1"_n), "relu2"_n = nn::relu("sum"_n),
      "each"_n =
          nn::conv3d("relu2"_n, {.out_channels = 12, .kernel_size = 3, .padding = 1, .groups = 12}),
      "relu3"_n = nn::relu("each"_n),
      "pool2"_n = nn::avg_pool3d("relu3"_n, {.kernel_size = 2, .padding = {0, 1, 0}}),
      "conv3"_n = nn::conv3d("pool2"_n, {.out_channels = 8, .kernel_size = {2, 1, 2}, .groups = 4}),
      "six"_n = nn::relu6("conv3"_n),
      "mean"_n = nn::adaptive_avg_pool3d("six"_n, {.output_size = {1, 2, 1}}),
      "flat"_n = fn::flatten("mean"_n, {.start_dim = 1}),
      "fc"_n = nn::linear("flat"_n, {.out_features = 7}), "out"_n = nn::output("fc"_n));
}

}  // namespace networks
