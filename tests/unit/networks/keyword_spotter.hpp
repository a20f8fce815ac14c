// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/model.hpp"
#include "ctq/ops/builtin_ops.hpp"

// Words in a sound: convolutions along time, dense, grouped and depthwise, with and without a batch
// norm, and every pool of one axis.

namespace networks {

constexpr auto keyword_spotter(int samples) {
  using namespace ctq::literals;
  namespace nn = ctq::nn;
  namespace fn = ctq::fn;
  namespace op = ctq::op;
  return ctq::model(
      "x"_n = nn::placeholder({2, 5, samples}),
      "conv1"_n =
          nn::conv1d("x"_n, {.out_channels = 20, .kernel_size = 9, .stride = 2, .padding = 4}),
      "bn1"_n = nn::batch_norm1d("conv1"_n), "relu1"_n = nn::relu("bn1"_n),
      "pool1"_n = nn::max_pool1d("relu1"_n, {.kernel_size = 3, .stride = 2, .padding = 1}),
      "conv2"_n = nn::conv1d(
          "pool1"_n,
          {.out_channels = 20, .kernel_size = 3, .padding = 2, .dilation = 2, .groups = 20}),
      "conv3"_n = nn::conv1d("conv2"_n, {.out_channels = 20, .kernel_size = 1}),
      "sum"_n = op::add("conv3"_n, "pool1"_n), "relu3"_n = nn::relu("sum"_n),
      "conv4"_n = nn::conv1d("relu3"_n, {.out_channels = 8, .kernel_size = 3, .groups = 4}),
      "pool4"_n = nn::avg_pool1d("conv4"_n, {.kernel_size = 2}),
      "conv5"_n = nn::conv1d("pool4"_n, {.out_channels = 6, .kernel_size = 1}),
      "cat"_n = fn::cat({"pool4"_n, "conv5"_n}, {.dim = 1}),
      "mean"_n = nn::adaptive_avg_pool1d("cat"_n, {.output_size = 3}),
      "flat"_n = fn::flatten("mean"_n, {.start_dim = 1}),
      "fc"_n = nn::linear("flat"_n, {.out_features = 7}), "out"_n = nn::output("fc"_n));
}

}  // namespace networks
