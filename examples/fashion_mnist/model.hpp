// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ctq/inference.hpp>

// The network of this example, equal to torch.fx's print-out of the one in train.py, and its
// quantization.

namespace fashion_mnist {

namespace nn = ctq::nn;
namespace fn = ctq::fn;
namespace op = ctq::op;
using namespace ctq::literals;

// clang-format off
inline constexpr auto network = ctq::model(
    "x"_n                   = nn::placeholder({1, 1, 28, 28}),
    "stem.conv"_n           = nn::conv2d("x"_n, {.out_channels = 32, .kernel_size = 3, .padding = 1, .bias = false}),
    "stem.bn"_n             = nn::batch_norm2d("stem.conv"_n),
    "stem.relu"_n           = nn::relu("stem.bn"_n),
    "pool"_n                = nn::max_pool2d("stem.relu"_n, {.kernel_size = 2}),
    "block.conv1"_n         = nn::conv2d("pool"_n, {.out_channels = 32, .kernel_size = 3, .padding = 1, .bias = false}),
    "block.bn1"_n           = nn::batch_norm2d("block.conv1"_n),
    "block.relu1"_n         = nn::relu("block.bn1"_n),
    "block.conv2"_n         = nn::conv2d("block.relu1"_n, {.out_channels = 32, .kernel_size = 3, .padding = 1, .bias = false}),
    "block.bn2"_n           = nn::batch_norm2d("block.conv2"_n),
    "block.add"_n           = op::add("block.bn2"_n, "pool"_n),
    "block.relu2"_n         = nn::relu("block.add"_n),
    "separable.depthwise"_n = nn::conv2d("block.relu2"_n, {.out_channels = 32, .kernel_size = 3, .stride = 2, .padding = 1, .groups = 32, .bias = false}),
    "separable.bn1"_n       = nn::batch_norm2d("separable.depthwise"_n),
    "separable.relu1"_n     = nn::relu("separable.bn1"_n),
    "separable.pointwise"_n = nn::conv2d("separable.relu1"_n, {.out_channels = 64, .kernel_size = 1, .bias = false}),
    "separable.bn2"_n       = nn::batch_norm2d("separable.pointwise"_n),
    "separable.relu2"_n     = nn::relu("separable.bn2"_n),
    "head.conv"_n           = nn::conv2d("separable.relu2"_n, {.out_channels = 64, .kernel_size = 3, .padding = 1, .bias = false}),
    "head.bn"_n             = nn::batch_norm2d("head.conv"_n),
    "head.relu"_n           = nn::relu("head.bn"_n),
    "avgpool"_n             = nn::adaptive_avg_pool2d("head.relu"_n, {.output_size = 1}),
    "flatten"_n             = fn::flatten("avgpool"_n, {.start_dim = 1}),
    "fc"_n                  = nn::linear("flatten"_n, {.out_features = 10}),
    "output"_n              = nn::output("fc"_n));
// clang-format on

struct int8_everywhere
    : ctq::qconfig_mapping<ctq::global<
          ctq::qconfig<ctq::histogram_observer<{.dtype = ctq::quint8}>,
                       ctq::per_channel_min_max_observer<{
                           .dtype = ctq::qint8, .quant_min = -127, .quant_max = 127}>>>> {};

inline constexpr int classes = 10;
inline constexpr const char* class_name[classes] = {
    "T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Boot"};

/// Normalizes a pixel as in training.
inline float normalized(unsigned char pixel) {
  return (static_cast<float>(pixel) / 255.0F - 0.2860F) / 0.3530F;
}

}  // namespace fashion_mnist
