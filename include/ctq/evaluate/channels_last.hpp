// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "ctq/evaluate/node_value.hpp"
#include "ctq/graph/argument_places.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/ops/backend_ops.hpp"

// The order in which PyTorch keeps the elements of an image in memory: N, C, H, W at the input,
// N, H, W, C after a convolution on integers. It has no effect on values except for a bug of 1.13:
// QNNPACK's clamp of quint8 writes elements in the order N, H, W, C into a tensor that is read as
// N, C, H, W, and all later ops compute with the wrong pixels.

namespace ctq {

namespace memory_order {

/// Whether the node is an integer op whose output is in the order N, H, W, C, whatever the order of
/// the input.
[[nodiscard]] constexpr bool makes_channels_last(const node& n) {
  return is_quantized(n.dtype) && n.op->descriptor->makes_channels_last;
}

}  // namespace memory_order

/// Whether PyTorch keeps the value of node i in the order N, H, W, C.
template <stage Stage>
[[nodiscard]] bool lies_channels_last(graph_view<Stage> g, int i) {
  while (!memory_order::makes_channels_last(g[i])) {
    if (g[i].arg_count == 0) return false;
    if (g[i].op->descriptor->takes_list) {
      for (const int a : g.args_of(i))
        if (!lies_channels_last(g, a)) return false;
      return g[i].op->descriptor->keeps_memory_order;
    }
    const bool forgets = g[i].op->descriptor->is_clamp && g[i].dtype == quint8;
    if (forgets || !g[i].op->descriptor->keeps_memory_order) return false;
    i = g.args_of(i)[0];
  }
  return true;
}

/// Whether PyTorch 1.13 mixes up the elements of the output of node i.
template <stage Stage>
[[nodiscard]] bool clamps_channels_last(graph_view<Stage> g, int i) {
  return g[i].op->descriptor->is_clamp && g[i].dtype == quint8 && g[i].arg_count > 0 &&
         lies_channels_last(g, g.args_of(i)[0]);
}

/// An image (N, C, …) whose elements, in the order N, …, C, are read in the order N, C, ….
[[nodiscard]] inline node_value with_channels_mixed_up(const node_value& image) {
  const quantized_tensor* const in = image.integers();
  if (in == nullptr || in->shape().size() < 4) return image;
  const auto images = static_cast<std::size_t>(in->shape()[0]);
  const auto channels = static_cast<std::size_t>(in->shape()[1]);
  const std::size_t pixels = images * channels == 0 ? 0 : in->size() / images / channels;
  return quantized_tensor::of(in->qparams, in->shape(), [&]<class Q>(Q* to) {
    in->read([&](const auto* from) {
      for (std::size_t n = 0; n < images; ++n)
        for (std::size_t p = 0; p < pixels; ++p)
          for (std::size_t c = 0; c < channels; ++c)
            *to++ = static_cast<Q>(from[(n * channels + c) * pixels + p]);
    });
  });
}

}  // namespace ctq
