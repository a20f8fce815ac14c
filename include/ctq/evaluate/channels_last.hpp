// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "ctq/core/op_sets.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/graph/argument_places.hpp"
#include "ctq/graph/graph.hpp"

// The order in which PyTorch keeps the elements of an image in memory: N, C, H, W as it comes in,
// N, H, W, C behind a convolution on integers. Nobody should see that, but for a defect of 1.13:
// QNNPACK's clamp of quint8 writes what lies in N, H, W, C into a tensor that is read as N, C, H,
// W, and everything behind it computes with the wrong pixels.

namespace ctq {

namespace memory_order {

/// Ops that clamp: relu6 is one.
[[nodiscard]] constexpr bool is_clamp(op_id op) {
  return is_any_of(op, nn::relu6, fn::relu6, nn::hardtanh, fn::hardtanh, fn::hardtanh_, fn::clamp,
                   method::clamp);
}

/// Ops on integers that write N, H, W, C whatever they read.
[[nodiscard]] constexpr bool makes_channels_last(const node& n) {
  if (!is_quantized(n.dtype)) return false;
  return is_any_of(n.op, q::conv2d, q::conv_relu2d, q::functional_conv2d, q::functional_conv2d_relu,
                   q::conv3d, q::conv_relu3d, q::functional_conv3d, q::functional_conv3d_relu,
                   nn::conv_transpose2d, nn::batch_norm2d, nni::bn_relu2d, nn::batch_norm3d,
                   nni::bn_relu3d);
}

/// Ops that write in the order in which they read.
[[nodiscard]] constexpr bool keeps_order(op_id op) {
  return is_clamp(op) || is_relu(op) || has_fixed_qparams(op) ||
         is_any_of(op, q::quantize_per_tensor, q::dequantize, q::requantize, q::add, q::add_relu,
                   q::mul, q::mul_relu, op::add, fn::add, op::mul, fn::mul, nn::identity,
                   nn::dropout, fn::dropout, nn::hardswish, fn::hardswish, nn::leaky_relu,
                   fn::leaky_relu, nn::prelu, nn::max_pool2d, fn::max_pool2d, nn::avg_pool2d,
                   fn::avg_pool2d, nn::adaptive_avg_pool2d, fn::adaptive_avg_pool2d,
                   nn::instance_norm2d, fn::instance_norm, fn::group_norm, fn::interpolate,
                   nn::upsample, fn::pad, fn::chunk, method::chunk, op::getitem, nn::conv2d,
                   nni::conv_relu2d, nn::batch_norm2d);
}

}  // namespace memory_order

/// Does PyTorch keep the value of node i in N, H, W, C?
template <stage Stage>
[[nodiscard]] bool lies_channels_last(graph_view<Stage> g, int i) {
  while (!memory_order::makes_channels_last(g[i])) {
    if (g[i].arg_count == 0) return false;
    if (takes_list(g[i].op)) {
      for (const int a : g.args_of(i))
        if (!lies_channels_last(g, a)) return false;
      return is_any_of(g[i].op, fn::cat, fn::concat, fn::concatenate);
    }
    const bool forgets = memory_order::is_clamp(g[i].op) && g[i].dtype == quint8;
    if (forgets || !memory_order::keeps_order(g[i].op)) return false;
    i = g.args_of(i)[0];
  }
  return true;
}

/// Does PyTorch 1.13 mix up the elements that node i gives?
template <stage Stage>
[[nodiscard]] bool clamps_channels_last(graph_view<Stage> g, int i) {
  return memory_order::is_clamp(g[i].op) && g[i].dtype == quint8 && g[i].arg_count > 0 &&
         lies_channels_last(g, g.args_of(i)[0]);
}

/// An image (N, C, …) whose elements, in the order N, …, C, are read as if they lay in N, C, ….
[[nodiscard]] inline node_value with_channels_mixed_up(const node_value& image) {
  const quantized_tensor* const in = image.integers();
  if (in == nullptr || in->q.shape.size() < 4) return image;
  quantized_tensor out = *in;
  const auto images = static_cast<std::size_t>(in->q.shape[0]);
  const auto channels = static_cast<std::size_t>(in->q.shape[1]);
  const std::size_t pixels = images * channels == 0 ? 0 : in->q.data.size() / images / channels;
  std::size_t to = 0;
  for (std::size_t n = 0; n < images; ++n)
    for (std::size_t p = 0; p < pixels; ++p)
      for (std::size_t c = 0; c < channels; ++c)
        out.q.data[to++] = in->q.data[(n * channels + c) * pixels + p];
  return out;
}

}  // namespace ctq
