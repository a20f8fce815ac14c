// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/evaluate/float_ops/value.hpp"

// A convolution as PyTorch is told of it, and as the kernels know it.

namespace ctq {

/// How a window moves along one, two or three axes; one value an axis.
struct window_steps {
  std::vector<int> stride, padding, dilation;
  int groups = 1;
};

/// A convolution along one or two axes as kernels know it: one axis is an image of one row.
/// Nothing for those along three axes, of no elements, or of so many that an int does not count
/// them, and for extents that do not fit each other.
///
/// Shapes  in [N, I, ...] · weight [O, I/groups, ...]
[[nodiscard]] inline std::optional<conv2d_shape> convolution_shape(const float_ops::extents& in,
                                                                   const float_ops::extents& weight,
                                                                   const window_steps& w) {
  const std::size_t axes = weight.size() - 2;
  const auto has = [axes](const std::vector<int>& v) { return v.size() == axes; };
  if (weight.size() < 3 || axes > 2 || in.size() != weight.size() || !has(w.stride) ||
      !has(w.padding) || !has(w.dilation) || w.groups < 1)
    return {};
  const std::size_t last = weight.size() - 1;
  conv2d_shape s{.batch = in[0],
                 .in_h = axes == 1 ? 1 : in[2],
                 .in_w = in[last],
                 .in_channels = in[1],
                 .out_channels = weight[0],
                 .kernel_h = axes == 1 ? 1 : weight[2],
                 .kernel_w = weight[last],
                 .stride_w = w.stride[axes - 1],
                 .padding_w = w.padding[axes - 1],
                 .dilation_w = w.dilation[axes - 1],
                 .groups = w.groups};
  if (axes == 2) {
    s.stride_h = w.stride[0];
    s.padding_h = w.padding[0];
    s.dilation_h = w.dilation[0];
  }
  for (const int x : {s.batch, s.in_h, s.in_w, s.in_channels, s.out_channels, s.kernel_h,
                      s.kernel_w, s.stride_h, s.stride_w, s.dilation_h, s.dilation_w})
    if (x < 1 || x > 1 << 24) return {};
  for (const int p : {s.padding_h, s.padding_w})
    if (p < 0 || p > 1 << 24) return {};
  const auto window = [](int kernel, int dilation) {
    return std::int64_t{dilation} * (kernel - 1) + 1;
  };
  if (window(s.kernel_h, s.dilation_h) > s.padded_h() ||
      window(s.kernel_w, s.dilation_w) > s.padded_w() || s.in_channels % s.groups != 0 ||
      s.out_channels % s.groups != 0 || s.in_group() != weight[1])
    return {};
  constexpr double limit = 1 << 30;
  const auto count = [&s](int channels, int h, int w) {
    return static_cast<double>(s.batch) * channels * h * w;
  };
  if (count(s.in_channels, s.padded_h(), s.padded_w()) > limit ||
      count(s.out_channels, s.out_h(), s.out_w()) > limit)
    return {};
  return s;
}

/// The extents of what it gives, in the order and the number of the input's.
[[nodiscard]] inline float_ops::extents output_extents(const conv2d_shape& s, std::size_t rank) {
  if (rank == 3) return {s.batch, s.out_channels, s.out_w()};
  return {s.batch, s.out_channels, s.out_h(), s.out_w()};
}

}  // namespace ctq
