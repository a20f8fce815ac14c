// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/evaluate/float_ops/axis_sums.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/kernels/float_kernels.hpp"
#include "ctq/kernels/reference/argmax.hpp"
#include "ctq/kernels/reference/reduction.hpp"

// Reductions along axes: sum, mean, maximum, minimum, and softmax, which keeps the axis.

namespace ctq::float_ops {

/// By axis: whether it is one of these.
[[nodiscard]] inline std::vector<bool> chosen_axes(const tensor& in, const std::vector<int>& axes) {
  std::vector<bool> chosen(in.shape.size());
  for (const int a : axes)
    if (a < rank(in.shape)) chosen[static_cast<std::size_t>(a)] = true;
  return chosen;
}

/// The shape without the axes that are reduced, or with an extent of 1 in their place.
[[nodiscard]] inline extents reduced_shape(const tensor& in, const std::vector<bool>& reduced,
                                           bool keepdim) {
  extents out;
  for (std::size_t a = 0; a < in.shape.size(); ++a)
    if (!reduced[a] || keepdim) out.push_back(reduced[a] ? 1 : in.shape[a]);
  return out;
}

/// Sum or mean over the axes.
[[nodiscard]] inline tensor sum(const tensor& in, const std::vector<int>& axes, bool keepdim,
                                bool mean) {
  const std::vector<bool> summed = chosen_axes(in, axes);
  tensor out{.shape = reduced_shape(in, summed, keepdim), .data = axis_sums(in, summed)};
  float count = 1;
  for (std::size_t a = 0; a < in.shape.size(); ++a)
    if (summed[a]) count *= static_cast<float>(in.shape[a]);
  if (mean)
    for (float& x : out.data) x /= count;
  return out;
}

/// The largest or smallest elements over the axes; NaN, if there is one.
[[nodiscard]] inline tensor extremes(const tensor& in, const std::vector<int>& axes, bool keepdim,
                                     reduction_rule rule) {
  const std::vector<bool> reduced = chosen_axes(in, axes);
  tensor out = filled(reduced_shape(in, reduced, keepdim));
  std::vector<bool> begun(out.data.size());
  std::vector<std::size_t> stride(in.shape.size());  // in the output
  std::size_t elements = 1;
  for (std::size_t a = in.shape.size(); a-- > 0;) {
    stride[a] = reduced[a] ? 0 : elements;
    if (!reduced[a]) elements *= static_cast<std::size_t>(in.shape[a]);
  }
  for (std::size_t i = 0; i < in.data.size(); ++i) {
    std::size_t to = 0, rest = i;
    for (std::size_t a = in.shape.size(); a-- > 0;) {
      const auto extent = static_cast<std::size_t>(in.shape[a]);
      to += rest % extent * stride[a];
      rest /= extent;
    }
    if (!begun[to] || kernels::reference::replaces(rule, in.data[i], out.data[to]))
      out.data[to] = in.data[i];
    begun[to] = true;
  }
  return out;
}

/// exp(x - max) / Σ exp(x - max) along an axis, or its logarithm, by the kernel of compiled models.
[[nodiscard]] inline tensor softmax(const layer_functions& by, const tensor& in, std::size_t axis,
                                    bool logarithm) {
  tensor out = in;
  if (in.data.empty()) return out;
  const std::size_t stride = around(in.shape, axis).row;
  const std::size_t count = in.shape.empty() ? 1 : static_cast<std::size_t>(in.shape[axis]);
  float_kernels::softmax(by,
                         {.rows = static_cast<int>(in.data.size() / count),
                          .count = static_cast<int>(count),
                          .stride = static_cast<int>(stride),
                          .logarithm = logarithm ? 1 : 0},
                         in.data.data(), out.data.data());
  return out;
}

namespace implementation {

template <bool Mean>
result<value> sum(operands& from) {
  const tensor& in = from.floats("input");
  const std::vector<int> axes = from.axes("dim", rank(in.shape));
  const bool keepdim = from.flag("keepdim");
  from.require(in.shape.size() <= max_summed_axes, "has more axes than PyTorch's tensors");
  if (from.failed()) return from.failure();
  return value(float_ops::sum(in, axes, keepdim, Mean));
}

template <reduction_rule Rule>
result<value> extremes(operands& from) {
  const tensor& in = from.floats("input");
  const std::vector<int> axes = from.axes("dim", rank(in.shape));
  const bool keepdim = from.flag("keepdim");
  from.require(!in.data.empty(), "an empty tensor has no maximum and no minimum");
  if (from.failed()) return from.failure();
  return value(float_ops::extremes(in, axes, keepdim, Rule));
}

/// Indices along one axis, or in the order of the elements.
template <reduction_rule Rule>
result<value> argmax(operands& from) {
  const tensor& in = from.floats("input");
  const std::vector<int> axes = from.axes("dim", rank(in.shape));
  const bool keepdim = from.flag("keepdim");
  from.require(axes.size() == 1 || axes.size() == in.shape.size(),
               "dim is one axis, or none for all");
  from.require(!in.data.empty(), "an empty tensor has no maximum and no minimum");
  if (from.failed()) return from.failure();
  const bool one = axes.size() == 1 && !in.shape.empty();
  const axis_surroundings others =
      one ? around(in.shape, static_cast<std::size_t>(axes[0])) : axis_surroundings{};
  const auto rows = static_cast<int>(others.rows), row = static_cast<int>(others.row);
  const int count = static_cast<int>(in.data.size()) / (rows * row);
  auto out = filled<std::int64_t>(reduced_shape(in, chosen_axes(in, axes), keepdim));
  kernels::reference::argmax({.rule = Rule, .in = {rows, count, row}, .axes = 1 << 1},
                             in.data.data(), out.data.data());
  return value(std::move(out));
}

/// Values and indices along one axis.
template <reduction_rule Rule>
result<value> extreme_pair(operands& from) {
  from.require(!from.is_none("dim"), "has one axis, dim; amax and amin have the extremes of all");
  if (from.failed()) return from.failure();
  result<value> values = extremes<Rule>(from);
  if (!values) return values;
  result<value> indices = argmax<Rule>(from);
  if (!indices) return indices;
  return value(list{*values, *indices});
}

/// Without dim, PyTorch uses axis 0 for a tensor of 0, 1 or 3 axes, else axis 1.
template <bool Logarithm>
result<value> softmax(operands& from) {
  const tensor& in = from.floats("input");
  const int axes = rank(in.shape);
  const int axis =
      from.is_none("dim") ? (axes == 0 || axes == 1 || axes == 3 ? 0 : 1) : from.axis("dim", axes);
  if (from.failed()) return from.failure();
  return value(float_ops::softmax(from.layers(), in, static_cast<std::size_t>(axis), Logarithm));
}

/// Softmax2d: of the channels of each pixel.
inline result<value> softmax_of_channels(operands& from) {
  const tensor& in = from.floats("input");
  from.require(in.shape.size() == 3 || in.shape.size() == 4, "needs three or four axes");
  if (from.failed()) return from.failure();
  return value(float_ops::softmax(from.layers(), in, in.shape.size() - 3, false));
}

inline constexpr float_op reductions[] = {
    {"mean", "input, ..., *, dtype=None", sum<true>},
    {"sum", "input, ..., *, dtype=None", sum<false>},
    {"amax", "input, ...", extremes<reduction_rule::max>},
    {"amin", "input, ...", extremes<reduction_rule::min>},
    {"argmax", "input, dim=None, keepdim=False", argmax<reduction_rule::max>},
    {"argmin", "input, dim=None, keepdim=False", argmax<reduction_rule::min>},
    {"max", "input, dim=None, keepdim=False", extreme_pair<reduction_rule::max>},
    {"min", "input, dim=None, keepdim=False", extreme_pair<reduction_rule::min>},
    {"softmax", "input, dim=None, _stacklevel=3, dtype=None", softmax<false>},
    {"softmax?d", "input", softmax_of_channels},
    {"log_softmax", "input, dim=None, _stacklevel=3, dtype=None", softmax<true>},
};

}  // namespace implementation
}  // namespace ctq::float_ops
