// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/ops/convolutions.hpp"

// Layers with PyTorch's options, and as the kernel conv2d computes them.

namespace ctq {

/// How a window moves along one, two or three axes; one value per axis.
struct window_steps {
  std::vector<int> stride, padding, dilation;
  int groups = 1;
};

/// The convolution that a kernel computes, the order of its activations, and the extents
/// of the output.
struct layer_shape {
  conv2d_shape conv{};
  kernel_layout order = kernel_layout::nhwc;
  float_ops::extents out{};
};

/// The extents of an output of one or two axes of pixels.
///   out  of the input
///   y    the output as an image
[[nodiscard]] inline float_ops::extents layer_outputs(float_ops::extents out, const shape& y) {
  out[1] = y[1];
  if (out.size() == 4) out[2] = y[2];
  out.back() = y[3];
  return out;
}

/// A convolution along one or two axes: one axis is an image of one row. Nothing for those along
/// three axes, of no elements, or of so many that an int does not count them, and for extents that
/// do not fit each other.
///
/// Shapes  in [N, I, ...] · weight [O, I/groups, ...]
[[nodiscard]] inline std::optional<layer_shape> convolution_layer(const float_ops::extents& in,
                                                                  const float_ops::extents& weight,
                                                                  const window_steps& w) {
  const std::size_t axes = in.size() - 2;
  const auto has = [axes](const std::vector<int>& v) { return v.size() == axes; };
  if (in.size() < 3 || axes > 2 || weight.size() != in.size() || !has(w.stride) ||
      !has(w.padding) || !has(w.dilation) || float_ops::numel(in) == 0)
    return {};
  const auto last_two = [axes](const std::vector<int>& v, int height) {
    return extent2d{axes == 1 ? height : v[v.size() - 2], v.back()};
  };
  const extent2d pixels = last_two(in, 1);
  const shape x{in[0], in[1], pixels.h, pixels.w};
  attributes options{conv2d_options{.in_channels = in[1],
                                    .out_channels = weight[0],
                                    .kernel_size = last_two(weight, 1),
                                    .stride = last_two(w.stride, 1),
                                    .padding = last_two(w.padding, 0),
                                    .dilation = last_two(w.dilation, 1),
                                    .groups = w.groups}};
  diagnostic problem;
  const op_descriptor& d = *nn::conv2d.id()->descriptor;
  const shape y = d.infer_shape({&x, 1}, options, problem);
  if (problem.any() || weight[1] != in[1] / w.groups ||
      !shape_rules::countable_elements(problem, y, "the output"))
    return {};
  layer_shape l{from_block<conv2d_shape>(d.schedule.sizes(options, x, y)), d.schedule.layout, in};
  l.out = layer_outputs(in, y);
  return l;
}

/// The same of a transposed convolution.
struct transposed_layer_shape {
  conv_transpose2d_shape conv{};
  kernel_layout order = kernel_layout::nhwc;
  float_ops::extents out{};
};

/// As convolution_layer, of a transposed one.
///
/// Shapes  in [N, I, ...] · weight [I, O/groups, ...]
[[nodiscard]] inline std::optional<transposed_layer_shape> transposed_convolution_layer(
    const float_ops::extents& in, const float_ops::extents& weight, const window_steps& w,
    const std::vector<int>& output_padding) {
  const std::size_t axes = in.size() - 2;
  const auto has = [axes](const std::vector<int>& v) { return v.size() == axes; };
  if (in.size() < 3 || axes > 2 || weight.size() != in.size() || !has(w.stride) ||
      !has(w.padding) || !has(w.dilation) || !has(output_padding) || float_ops::numel(in) == 0)
    return {};
  const auto last_two = [axes](const std::vector<int>& v, int height) {
    return extent2d{axes == 1 ? height : v[v.size() - 2], v.back()};
  };
  const extent2d pixels = last_two(in, 1);
  const shape x{in[0], in[1], pixels.h, pixels.w};
  attributes options{conv_transpose2d_options{.in_channels = weight[0],
                                              .out_channels = weight[1] * w.groups,
                                              .kernel_size = last_two(weight, 1),
                                              .stride = last_two(w.stride, 1),
                                              .padding = last_two(w.padding, 0),
                                              .output_padding = last_two(output_padding, 0),
                                              .groups = w.groups,
                                              .dilation = last_two(w.dilation, 1)}};
  diagnostic problem;
  const op_descriptor& d = *nn::conv_transpose2d.id()->descriptor;
  const shape y = d.infer_shape({&x, 1}, options, problem);
  if (problem.any() || !shape_rules::countable_elements(problem, y, "the output")) return {};
  transposed_layer_shape l{from_block<conv_transpose2d_shape>(d.schedule.sizes(options, x, y)),
                           d.schedule.layout, in};
  l.out = layer_outputs(in, y);
  return l;
}

/// A linear layer is a convolution with kernels of one pixel, on an image of one row. Nothing as
/// for those.
///
/// Shapes  in [..., K] · weight [N, K]
[[nodiscard]] inline std::optional<layer_shape> linear_layer(const float_ops::extents& in,
                                                             const float_ops::extents& weight) {
  if (in.empty() || weight.size() != 2 || in.back() != weight[1] || weight[1] == 0) return {};
  const std::size_t rows = float_ops::numel(in) / static_cast<std::size_t>(weight[1]);
  if (rows > INT32_MAX) return {};
  auto l = convolution_layer({1, weight[1], static_cast<int>(rows)}, {weight[0], weight[1], 1},
                             {{1}, {0}, {1}});
  if (!l) return {};
  l->order = kernel_layout::any;
  l->out = in;
  l->out.back() = weight[0];
  return l;
}

}  // namespace ctq
