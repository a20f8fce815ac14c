// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/axis_sums.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/kernels/reference/softmax.hpp"

// Reductions along axes: sum and mean, and softmax, which keeps the axis.

namespace ctq::float_ops {

/// Sum or mean over the axes.
[[nodiscard]] inline tensor sum(const tensor& in, const std::vector<int>& axes, bool keepdim,
                                bool mean) {
  std::vector<bool> summed(in.shape.size());
  for (const int a : axes)
    if (a < rank(in.shape)) summed[static_cast<std::size_t>(a)] = true;
  tensor out{.shape = {}, .data = axis_sums(in, summed)};
  float count = 1;
  for (std::size_t a = 0; a < in.shape.size(); ++a) {
    if (!summed[a] || keepdim) out.shape.push_back(summed[a] ? 1 : in.shape[a]);
    if (summed[a]) count *= static_cast<float>(in.shape[a]);
  }
  if (mean)
    for (float& x : out.data) x /= count;
  return out;
}

/// exp(x - max) / Σ exp(x - max) along an axis, or its logarithm, as the kernel of compiled models.
[[nodiscard]] inline tensor softmax(const tensor& in, std::size_t axis, bool logarithm) {
  tensor out = in;
  if (in.data.empty()) return out;
  const std::size_t step = around(in.shape, axis).row;
  const std::size_t count = in.shape.empty() ? 1 : static_cast<std::size_t>(in.shape[axis]);
  kernels::reference::softmax({.rows = static_cast<int>(in.data.size() / count),
                               .count = static_cast<int>(count),
                               .step = static_cast<int>(step),
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
  if (from.failed()) return from.failure();
  return value(float_ops::sum(in, axes, keepdim, Mean));
}

/// Without dim, PyTorch uses axis 0 for a tensor of 0, 1 or 3 axes, else axis 1.
template <bool Logarithm>
result<value> softmax(operands& from) {
  const tensor& in = from.floats("input");
  const int axes = rank(in.shape);
  const int axis =
      from.is_none("dim") ? (axes == 0 || axes == 1 || axes == 3 ? 0 : 1) : from.axis("dim", axes);
  if (from.failed()) return from.failure();
  return value(float_ops::softmax(in, static_cast<std::size_t>(axis), Logarithm));
}

inline constexpr float_op reductions[] = {
    {"mean", "input, dim=None, keepdim=False, *, dtype=None", sum<true>},
    {"sum", "input, dim=None, keepdim=False, *, dtype=None", sum<false>},
    {"softmax", "input, dim=None, _stacklevel=3, dtype=None", softmax<false>},
    {"log_softmax", "input, dim=None, _stacklevel=3, dtype=None", softmax<true>},
};

}  // namespace implementation
}  // namespace ctq::float_ops
