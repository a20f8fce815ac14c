// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/model.hpp"
#include "ctq/ops/builtin_ops.hpp"

// MobileNetV3-small as torchvision.models.mobilenet_v3_small has it, traced by torch.fx: nodes are
// named after the modules that call them. Names are literals, so the parts of a block are macros.

namespace networks {

// clang-format off

// Node "features.BLOCK.PART", as the module of that path.
#define CTQ_PART(block, part) "features." #block "." part ""_n

// A convolution without bias, and its batch norm; AT is their place in the block.
#define CTQ_CONV(block, at, in, ...) \
  CTQ_PART(block, at ".0") = nn::conv2d(in, {__VA_ARGS__, .bias = false}), \
  CTQ_PART(block, at ".1") = nn::batch_norm2d(CTQ_PART(block, at ".0"), {.eps = 0.001F})

// 1x1 to CHANNELS, with an activation.
#define CTQ_EXPAND(block, in, channels, activation) \
  CTQ_CONV(block, "block.0", in, .out_channels = channels, .kernel_size = 1), \
  CTQ_PART(block, "block.0.2") = nn::activation(CTQ_PART(block, "block.0.1"))

// Channel by channel, with an activation.
#define CTQ_DEPTHWISE(block, at, in, channels, kernel, step, activation) \
  CTQ_CONV(block, at, in, .out_channels = channels, .kernel_size = kernel, .stride = step, \
           .padding = kernel / 2, .groups = channels), \
  CTQ_PART(block, at ".2") = nn::activation(CTQ_PART(block, at ".1"))

// Squeeze and excitation: each channel is multiplied by a function of the means of all channels.
#define CTQ_SQUEEZE(block, at, in, channels, squeezed) \
  CTQ_PART(block, at ".avgpool") = nn::adaptive_avg_pool2d(in, {.output_size = 1}), \
  CTQ_PART(block, at ".fc1") = nn::conv2d(CTQ_PART(block, at ".avgpool"), {.out_channels = squeezed, .kernel_size = 1}), \
  CTQ_PART(block, at ".activation") = nn::relu(CTQ_PART(block, at ".fc1")), \
  CTQ_PART(block, at ".fc2") = nn::conv2d(CTQ_PART(block, at ".activation"), {.out_channels = channels, .kernel_size = 1}), \
  CTQ_PART(block, at ".scale_activation") = nn::hardsigmoid(CTQ_PART(block, at ".fc2")), \
  CTQ_PART(block, at ".mul") = op::mul(CTQ_PART(block, at ".scale_activation"), in)

// 1x1 to CHANNELS, without an activation.
#define CTQ_PROJECT(block, at, in, channels) \
  CTQ_CONV(block, at, in, .out_channels = channels, .kernel_size = 1)

// Expansion and projection around a depthwise convolution; the block's output is block.2.1.
#define CTQ_BLOCK(block, in, expanded, channels, kernel, step, activation) \
  CTQ_EXPAND(block, in, expanded, activation), \
  CTQ_DEPTHWISE(block, "block.1", CTQ_PART(block, "block.0.2"), expanded, kernel, step, activation), \
  CTQ_PROJECT(block, "block.2", CTQ_PART(block, "block.1.2"), channels)

// The same with squeeze and excitation; the block's output is block.3.1.
#define CTQ_SQUEEZED_BLOCK(block, in, expanded, squeezed, channels, kernel, step, activation) \
  CTQ_EXPAND(block, in, expanded, activation), \
  CTQ_DEPTHWISE(block, "block.1", CTQ_PART(block, "block.0.2"), expanded, kernel, step, activation), \
  CTQ_SQUEEZE(block, "block.2", CTQ_PART(block, "block.1.2"), expanded, squeezed), \
  CTQ_PROJECT(block, "block.3", CTQ_PART(block, "block.2.mul"), channels)

constexpr auto mobilenet_v3_small(int size) {
  using namespace ctq::literals;
  namespace nn = ctq::nn;
  namespace fn = ctq::fn;
  namespace op = ctq::op;
  return ctq::model(
      "x"_n = nn::placeholder({1, 3, size, size}),
      "features.0.0"_n = nn::conv2d("x"_n, {.out_channels = 16, .kernel_size = 3, .stride = 2, .padding = 1, .bias = false}),
      "features.0.1"_n = nn::batch_norm2d("features.0.0"_n, {.eps = 0.001F}),
      "features.0.2"_n = nn::hardswish("features.0.1"_n),
      CTQ_DEPTHWISE(1, "block.0", "features.0.2"_n, 16, 3, 2, relu),
      CTQ_SQUEEZE(1, "block.1", "features.1.block.0.2"_n, 16, 8),
      CTQ_PROJECT(1, "block.2", "features.1.block.1.mul"_n, 16),
      CTQ_BLOCK(2, "features.1.block.2.1"_n, 72, 24, 3, 2, relu),
      CTQ_BLOCK(3, "features.2.block.2.1"_n, 88, 24, 3, 1, relu),
      "features.3.add"_n = op::add("features.3.block.2.1"_n, "features.2.block.2.1"_n),
      CTQ_SQUEEZED_BLOCK(4, "features.3.add"_n, 96, 24, 40, 5, 2, hardswish),
      CTQ_SQUEEZED_BLOCK(5, "features.4.block.3.1"_n, 240, 64, 40, 5, 1, hardswish),
      "features.5.add"_n = op::add("features.5.block.3.1"_n, "features.4.block.3.1"_n),
      CTQ_SQUEEZED_BLOCK(6, "features.5.add"_n, 240, 64, 40, 5, 1, hardswish),
      "features.6.add"_n = op::add("features.6.block.3.1"_n, "features.5.add"_n),
      CTQ_SQUEEZED_BLOCK(7, "features.6.add"_n, 120, 32, 48, 5, 1, hardswish),
      CTQ_SQUEEZED_BLOCK(8, "features.7.block.3.1"_n, 144, 40, 48, 5, 1, hardswish),
      "features.8.add"_n = op::add("features.8.block.3.1"_n, "features.7.block.3.1"_n),
      CTQ_SQUEEZED_BLOCK(9, "features.8.add"_n, 288, 72, 96, 5, 2, hardswish),
      CTQ_SQUEEZED_BLOCK(10, "features.9.block.3.1"_n, 576, 144, 96, 5, 1, hardswish),
      "features.10.add"_n = op::add("features.10.block.3.1"_n, "features.9.block.3.1"_n),
      CTQ_SQUEEZED_BLOCK(11, "features.10.add"_n, 576, 144, 96, 5, 1, hardswish),
      "features.11.add"_n = op::add("features.11.block.3.1"_n, "features.10.add"_n),
      "features.12.0"_n = nn::conv2d("features.11.add"_n, {.out_channels = 576, .kernel_size = 1, .bias = false}),
      "features.12.1"_n = nn::batch_norm2d("features.12.0"_n, {.eps = 0.001F}),
      "features.12.2"_n = nn::hardswish("features.12.1"_n),
      "avgpool"_n = nn::adaptive_avg_pool2d("features.12.2"_n, {.output_size = 1}),
      "flatten"_n = fn::flatten("avgpool"_n, {.start_dim = 1}),
      "classifier.0"_n = nn::linear("flatten"_n, {.out_features = 1024}),
      "classifier.1"_n = nn::hardswish("classifier.0"_n),
      "classifier.2"_n = nn::dropout("classifier.1"_n, {.p = 0.2F}),
      "classifier.3"_n = nn::linear("classifier.2"_n, {.out_features = 1000}),
      "output"_n = nn::output("classifier.3"_n));
}

#undef CTQ_SQUEEZED_BLOCK
#undef CTQ_BLOCK
#undef CTQ_PROJECT
#undef CTQ_SQUEEZE
#undef CTQ_DEPTHWISE
#undef CTQ_EXPAND
#undef CTQ_CONV
#undef CTQ_PART

// clang-format on

}  // namespace networks
