// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <vector>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/ops/convolutions.hpp"

// The shapes of layers, from PyTorch's options to what the kernels of convolutions take.

namespace ctq {

/// How a window moves along one, two or three axes; one value per axis.
struct window_steps {
  std::vector<int> stride, padding, dilation;
  int groups = 1;
};

/// The convolution that a kernel computes, the order of its activations, and the extents of the
/// output.
template <class Sizes>
struct layer_shape_of {
  Sizes conv{};
  kernel_layout order = kernel_layout::nhwc;
  float_ops::extents out{};
};
using layer_shape = layer_shape_of<conv2d_shape>;
using conv3d_layer_shape = layer_shape_of<conv3d_shape>;
using transposed_layer_shape = layer_shape_of<conv_transpose2d_shape>;
using conv_transpose3d_layer_shape = layer_shape_of<conv_transpose3d_shape>;

namespace layer_shapes {

/// numbers[first] and those after it, one for each axis, as an extent.
template <class Extent>
[[nodiscard]] Extent extent_of(const std::vector<int>& numbers, std::size_t first = 0) {
  const auto at = [&](std::size_t i) { return numbers[first + i]; };
  if (numbers.size() == first + 1) return at(0);
  if constexpr (std::is_same_v<Extent, extent2d>) {
    return {at(0), at(1)};
  } else {
    return {at(0), at(1), at(2)};
  }
}

[[nodiscard]] inline shape shape_of(const float_ops::extents& e) {
  shape s;
  for (const int extent : e) s[s.rank++] = extent;
  return s;
}

/// A layer by the rules of a convolution's descriptor. nullopt for tensors without elements or with
/// more than an int can count, and for extents that do not fit each other.
///   op  by number of axes, or null
template <class Sizes, class Options>
[[nodiscard]] std::optional<layer_shape_of<Sizes>> layer(std::initializer_list<op_id> op,
                                                         const float_ops::extents& in,
                                                         const float_ops::extents& weight,
                                                         const window_steps& w, Options o,
                                                         const std::vector<int>* extra = nullptr) {
  using extent = decltype(o.stride);
  const std::size_t axes = in.size() - 2;
  const auto has = [axes](const std::vector<int>& v) { return v.size() == axes; };
  if (in.size() < 3 || axes > op.size() || op.begin()[axes - 1] == nullptr ||
      weight.size() != in.size() || !has(w.stride) || !has(w.padding) || !has(w.dilation) ||
      (extra != nullptr && !has(*extra)) || float_ops::numel(in) == 0)
    return {};
  o.kernel_size = extent_of<extent>(weight, 2);
  o.stride = extent_of<extent>(w.stride);
  o.padding = extent_of<extent>(w.padding);
  o.dilation = extent_of<extent>(w.dilation);
  o.groups = w.groups;
  if constexpr (requires { o.output_padding; }) o.output_padding = extent_of<extent>(*extra);
  const shape x = shape_of(in);
  attributes options{o};
  diagnostic problem;
  const op_descriptor& d = *op.begin()[axes - 1]->descriptor;
  const shape y = d.infer_shape({&x, 1}, options, problem);
  if (problem.any() || !shape_rules::countable_elements(problem, y, "the output") ||
      d.parameters(options).item[0].shape != shape_of(weight))
    return {};
  return layer_shape_of<Sizes>{from_block<Sizes>(d.schedule.sizes(options, x, y)),
                               d.schedule.layout,
                               {y.extent, y.extent + y.rank}};
}

}  // namespace layer_shapes

/// A convolution along one or two axes: one axis is an image of one row. nullopt for convolutions
/// along three axes, for tensors without elements or with more than an int can count, and for
/// extents that do not fit each other.
///
/// Shapes  in [N, I, ...] · weight [O, I/groups, ...]
[[nodiscard]] inline std::optional<layer_shape> convolution_layer(const float_ops::extents& in,
                                                                  const float_ops::extents& weight,
                                                                  const window_steps& w) {
  return layer_shapes::layer<conv2d_shape>(
      {nn::conv1d.id(), nn::conv2d.id()}, in, weight, w,
      conv2d_options{.out_channels = weight.empty() ? 0 : weight[0]});
}

/// The same along three axes.
[[nodiscard]] inline std::optional<conv3d_layer_shape> conv3d_layer(
    const float_ops::extents& in, const float_ops::extents& weight, const window_steps& w) {
  return layer_shapes::layer<conv3d_shape>(
      {nullptr, nullptr, nn::conv3d.id()}, in, weight, w,
      conv3d_options{.out_channels = weight.empty() ? 0 : weight[0]});
}

/// The same for a transposed convolution.
///
/// Shapes  in [N, I, ...] · weight [I, O/groups, ...]
[[nodiscard]] inline std::optional<transposed_layer_shape> transposed_convolution_layer(
    const float_ops::extents& in, const float_ops::extents& weight, const window_steps& w,
    const std::vector<int>& output_padding) {
  return layer_shapes::layer<conv_transpose2d_shape>(
      {nn::conv_transpose1d.id(), nn::conv_transpose2d.id()}, in, weight, w,
      conv_transpose2d_options{.out_channels = weight.size() < 2 ? 0 : weight[1] * w.groups},
      &output_padding);
}

/// The same along three axes.
[[nodiscard]] inline std::optional<conv_transpose3d_layer_shape> conv_transpose3d_layer(
    const float_ops::extents& in, const float_ops::extents& weight, const window_steps& w,
    const std::vector<int>& output_padding) {
  return layer_shapes::layer<conv_transpose3d_shape>(
      {nullptr, nullptr, nn::conv_transpose3d.id()}, in, weight, w,
      conv_transpose3d_options{.out_channels = weight.size() < 2 ? 0 : weight[1] * w.groups},
      &output_padding);
}

/// A linear layer as a convolution with kernels of one pixel, on an image of one row. nullopt as
/// for convolutions.
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
