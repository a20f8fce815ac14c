// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "ctq/graph/node.hpp"
#include "ctq/kernels/batch_norm_fold.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/runtime/weights.hpp"

// The weight and bias of a node, into which the batch norm that is fused with it is folded.

namespace ctq {

/// weight (O, I/groups, kh, kw) or (out, in), of a transposed convolution (I, O/groups, kh, kw);
/// bias one value for each output, zeros if the module has none.
struct folded_weights {
  std::vector<float> weight;
  std::vector<float> bias;
  std::size_t outputs{};
};

/// The vectors of a batch norm, one value for each channel.
struct batch_norm_values {
  std::vector<float> inverse_deviation;  // 1 / sqrt(var + eps)
  const float* gamma{};
  const float* beta{};
  const float* mean{};

  [[nodiscard]] kernels::norm_channel channel(std::size_t c) const {
    return {gamma[c], beta[c], mean[c], inverse_deviation[c]};
  }
};

[[nodiscard]] inline batch_norm_values batch_norm_of(const weights& w, std::string_view module,
                                                     float eps) {
  const std::vector<float>& variance = w.find(module, "running_var")->values;
  batch_norm_values b{.inverse_deviation = std::vector<float>(variance.size()),
                      .gamma = w.find(module, "weight")->values.data(),
                      .beta = w.find(module, "bias")->values.data(),
                      .mean = w.find(module, "running_mean")->values.data()};
  for (std::size_t c = 0; c < variance.size(); ++c)
    b.inverse_deviation[c] = kernels::inverse_deviation(variance[c], eps);
  return b;
}

///   bias  null: none
[[nodiscard]] inline folded_weights fold(const node& n, const weight_tensor& weight,
                                         const weight_tensor* bias, const weights& w) {
  folded_weights f{.weight = weight.values, .bias = {}, .outputs = 0};
  const auto groups = static_cast<std::size_t>(descriptors::transposed_groups(n.op, n.attrs));
  f.outputs = static_cast<std::size_t>(weight.shape[groups > 0 ? 1 : 0]);
  if (groups > 0) f.outputs *= groups;
  f.bias = bias != nullptr ? bias->values : std::vector<float>(f.outputs, 0.0F);
  if (n.batch_norm.empty()) return f;
  const batch_norm_values b = batch_norm_of(w, n.batch_norm, n.batch_norm_eps);
  const bool linear = weight.shape.size() == 2;
  const auto order = linear ? kernels::fold_order::linear : kernels::fold_order::conv;
  const std::size_t inputs = static_cast<std::size_t>(weight.shape[0]);
  kernels::fold_batch_norm(
      f.weight, f.bias, order, groups > 0 ? inputs * (f.outputs / groups) : f.outputs,
      groups > 0 ? groups : 1, [&b](std::size_t channel) { return b.channel(channel); });
  return f;
}
/// The same for a module.
[[nodiscard]] inline folded_weights fold(const node& n, const weights& w) {
  return fold(n, *w.find(n.name, "weight"), w.find(n.name, "bias"), w);
}

}  // namespace ctq
