// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/kernels/axis_sums.hpp"

namespace ctq::float_ops {

inline constexpr std::size_t max_summed_axes = 64;  // as many as PyTorch's tensors have

/// The sum over the axes whose `summed` is true, in PyTorch's order of additions, by
/// kernels/axis_sums.hpp. The result is row-major over the kept axes.
/// Requires  at most max_summed_axes axes
[[nodiscard]] inline std::vector<float> axis_sums(const tensor& in,
                                                  const std::vector<bool>& summed) {
  std::size_t kept = 1;
  for (std::size_t a = 0; a < in.shape.size(); ++a)
    if (!summed[a]) kept *= static_cast<std::size_t>(in.shape[a]);
  std::vector<float> out(kept, 0.0F);
  if (in.data.empty()) return out;
  const auto extent = [&in](std::size_t a) { return static_cast<std::size_t>(in.shape[a]); };
  const auto loops = kernels::sum_loops_of<max_summed_axes>(
      in.shape.size(), extent, [&summed](std::size_t a) { return static_cast<bool>(summed[a]); });
  kernels::add_axis_sums(loops, in.data.data(), out.data());
  return out;
}

}  // namespace ctq::float_ops
