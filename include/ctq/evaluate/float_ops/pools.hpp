// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/reductions.hpp"
#include "ctq/kernels/pool_window.hpp"
#include "ctq/ops/shape_checks.hpp"

// Pooling along one, two or three axes: the maximum or the mean of each window.

namespace ctq::float_ops {

namespace pooling {

/// The windows along one axis of `in` elements.
struct axis_windows {
  std::vector<kernels::pool_span> spans{};
  int in = 1;
  int dilation = 1;
};

/// A window: the elements it covers along three axes, and the number of input and padding elements.
struct window {
  std::array<int, 3> extent{};
  int padded = 0;

  [[nodiscard]] int taps() const { return extent[0] * extent[1] * extent[2]; }
};

/// Calls reduce(each, window) for each window; each(visit) visits its elements in order.
template <class Reduce>
tensor pool(const tensor& in, const std::vector<axis_windows>& last, Reduce reduce) {
  std::array<axis_windows, 3> axes;
  axes.fill({.spans = {{.first = 0, .taps = 1, .padded = 1}}});
  for (std::size_t a = 0; a < last.size(); ++a) axes[3 - last.size() + a] = last[a];
  extents shape = in.shape;
  for (std::size_t a = 0; a < last.size(); ++a)
    shape[shape.size() - last.size() + a] = static_cast<int>(last[a].spans.size());
  tensor out = filled(std::move(shape));
  const auto& [deep, high, wide] = axes;
  const auto pixels = static_cast<std::size_t>(deep.in) * static_cast<std::size_t>(high.in) *
                      static_cast<std::size_t>(wide.in);
  std::size_t to = 0;
  for (const float* channel = in.data.data(); to < out.data.size(); channel += pixels)
    for (const auto& z : deep.spans)
      for (const auto& y : high.spans)
        for (const auto& x : wide.spans) {
          const auto each = [&](auto visit) {
            for (int k = 0; k < z.taps; ++k)
              for (int j = 0; j < y.taps; ++j) {
                const auto layer = static_cast<std::ptrdiff_t>(z.first + k * deep.dilation);
                const std::ptrdiff_t row = layer * high.in + y.first + j * high.dilation;
                const float* const from = channel + row * wide.in + x.first;
                for (int i = 0; i < x.taps; ++i) visit(from[i * wide.dilation]);
              }
          };
          out.data[to++] = reduce(each, window{.extent = {z.taps, y.taps, x.taps},
                                               .padded = z.padded * y.padded * x.padded});
        }
  return out;
}

/// PyTorch's maximum: NaN is larger than any number.
struct largest {
  template <class Each>
  float operator()(Each each, const window&) const {
    float most = -std::numeric_limits<float>::infinity();
    each([&most](float x) { most = x > most || x != x ? x : most; });
    return most;
  }
};

/// Sequential sum in float32, as in PyTorch: means of dequantized integers are often ties.
template <class Each>
float sum(Each each) {
  float total = 0.0F;
  each([&total](float x) { total += x; });
  return total;
}

struct mean {
  bool count_padding = true;
  int divisor = 0;  // 0: the number of elements

  template <class Each>
  float operator()(Each each, const window& w) const {
    const int count = divisor != 0 ? divisor : count_padding ? w.padded : w.taps();
    return sum(each) / static_cast<float>(count);
  }
};

/// Divides by the extent of each axis in turn, rounding each time.
struct adaptive_mean {
  template <class Each>
  float operator()(Each each, const window& w) const {
    float mean = sum(each);
    for (const int extent : w.extent) mean /= static_cast<float>(extent);
    return mean;
  }
};

/// The number of axes that the windows slide over, the last ones of the input; checks that there
/// are one or two others.
inline int checked_axes(operands& from, const tensor& in) {
  const int axes = from.window_axes();
  from.require(rank(in.shape) == axes + 1 || rank(in.shape) == axes + 2,
               "the input has too few or many axes");
  return from.failed() ? 0 : axes;
}

/// The windows of a pool with a kernel size.
inline std::vector<axis_windows> windows_of(operands& from, const tensor& in) {
  const int axes = checked_axes(from, in);
  const auto kernel = from.integers("kernel_size", axes);
  const auto stride = from.integers("stride", axes, "kernel_size");
  const auto padding = from.integers("padding", axes);
  const auto dilation =
      from.has("dilation") ? from.integers("dilation", axes) : extents(kernel.size(), 1);
  const bool ceil_mode = from.flag("ceil_mode");
  std::vector<axis_windows> all(kernel.size());
  for (std::size_t a = 0; a < all.size(); ++a) {
    from.require(kernel[a] > 0 && stride[a] > 0 && dilation[a] > 0 && padding[a] >= 0 &&
                     padding[a] <= kernel[a] / 2,
                 "padding is at most half the kernel");
    if (from.failed()) return {};
    const int n = in.shape[in.shape.size() - all.size() + a];
    const int count =
        shape_rules::windows(n, kernel[a], stride[a], padding[a], dilation[a], ceil_mode);
    from.require(count > 0, "the kernel is larger than the padded input");
    all[a].in = n;
    all[a].dilation = dilation[a];
    for (int i = 0; i < count; ++i)
      all[a].spans.push_back(
          kernels::pool_span_of(i, n, kernel[a], stride[a], padding[a], dilation[a]));
  }
  return all;
}

/// Window i of n covers [i * in / n, ceil((i + 1) * in / n)), for the last axes.
[[nodiscard]] inline std::vector<axis_windows> adaptive_windows(const tensor& in,
                                                                const extents& out) {
  std::vector<axis_windows> all(out.size());
  for (std::size_t a = 0; a < out.size(); ++a) {
    all[a].in = in.shape[in.shape.size() - out.size() + a];
    for (int i = 0; i < out[a]; ++i)
      all[a].spans.push_back(kernels::adaptive_span_of(i, all[a].in, out[a]));
  }
  return all;
}

[[nodiscard]] inline tensor adaptive_max_pool(const tensor& in, const extents& out) {
  return pool(in, adaptive_windows(in, out), largest{});
}

/// A single window is a global mean, for which PyTorch has another order of additions.
[[nodiscard]] inline tensor adaptive_mean_pool(const tensor& in, const extents& out) {
  if (numel(out) != 1) return pool(in, adaptive_windows(in, out), adaptive_mean{});
  std::vector<int> axes;
  for (int a = rank(in.shape) - rank(out); a < rank(in.shape); ++a) axes.push_back(a);
  return float_ops::sum(in, axes, true, true);
}

}  // namespace pooling

namespace implementation {

inline result<value> max_pool(operands& from) {
  const tensor& in = from.floats("input");
  const auto windows = pooling::windows_of(from, in);
  from.require(!from.flag("return_indices"), "has no indices to return");
  if (from.failed()) return from.failure();
  return value(pooling::pool(in, windows, pooling::largest{}));
}

inline result<value> avg_pool(operands& from) {
  const tensor& in = from.floats("input");
  const auto windows = pooling::windows_of(from, in);
  pooling::mean mean{.count_padding = from.flag("count_include_pad")};
  if (!from.is_none("divisor_override")) {
    mean.divisor = from.integer("divisor_override");
    from.require(mean.divisor != 0, "the divisor is 0");
  }
  if (from.failed()) return from.failure();
  return value(pooling::pool(in, windows, mean));
}

/// An extent of None is that of the input.
template <tensor Pool(const tensor&, const extents&)>
result<value> adaptive_pool(operands& from) {
  const tensor& in = from.floats("input");
  const value wanted = from.any("output_size");
  const auto* each = wanted.get_if<list>();
  const auto axes = static_cast<std::size_t>(pooling::checked_axes(from, in));
  from.require(each == nullptr || each->size() == axes || each->size() == 1,
               "output_size needs one size per axis");
  from.require(!from.has("return_indices") || !from.flag("return_indices"),
               "has no indices to return");
  if (from.failed()) return from.failure();
  extents size;
  for (std::size_t a = 0; a < axes; ++a) {
    const value& extent = each == nullptr ? wanted : (*each)[each->size() == 1 ? 0 : a];
    const int n = in.shape[in.shape.size() - axes + a];
    const std::int64_t wanted_extent = extent.is<none>() ? n : as_integer(extent).value_or(-1);
    from.require(wanted_extent >= 0 && wanted_extent <= INT32_MAX && n > 0,
                 "output_size is not a size");
    size.push_back(from.failed() ? 0 : static_cast<int>(wanted_extent));
  }
  if (from.failed()) return from.failure();
  return value(Pool(in, size));
}

inline constexpr float_op pools[] = {
    {"max_pool?d", "input, ..., return_indices=False", max_pool},
    {"avg_pool?d", "input, ...", avg_pool},
    {"adaptive_avg_pool?d", "input, output_size", adaptive_pool<pooling::adaptive_mean_pool>},
    {"adaptive_max_pool?d", "input, output_size, return_indices=False",
     adaptive_pool<pooling::adaptive_max_pool>},
};

}  // namespace implementation
}  // namespace ctq::float_ops
