// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/kernels/batch_norm_fold.hpp"

// Folds a batch norm into the preceding conv, transposed conv or linear.

namespace ctq::float_ops {

/// The tensors of a batch norm; gamma and beta are null for affine=False.
struct batch_norm {
  const tensor* gamma{};
  const tensor* beta{};
  const tensor* mean{};
  const tensor* variance{};
  double eps = 1e-5;

  [[nodiscard]] bool has_channels(std::size_t n) const {
    const auto fits = [n](const tensor* t) { return t == nullptr || t->data.size() == n; };
    return mean != nullptr && variance != nullptr && fits(gamma) && fits(beta) && fits(mean) &&
           fits(variance);
  }
  [[nodiscard]] kernels::norm_channel channel(std::size_t c) const {
    const auto at = [c](const tensor* t, float otherwise) {
      return t == nullptr ? otherwise : t->data[c];
    };
    return {.gamma = at(gamma, 1.0F),
            .beta = at(beta, 0.0F),
            .mean = mean->data[c],
            .inverse_deviation =
                kernels::inverse_deviation(variance->data[c], static_cast<float>(eps))};
  }
};

struct weight_and_bias {
  tensor weight, bias;
};

enum class foldable : unsigned char { conv, conv_transpose, linear };

/// Shapes  conv, linear: weight (O, …) · conv_transpose: weight (I, O/groups, …) · bias (O) or
/// null,
///         which counts as zeros
/// Errors  a batch norm with another number of channels
[[nodiscard]] inline result<weight_and_bias> fold(const tensor& weight, const tensor* bias,
                                                  const batch_norm& norm, foldable module,
                                                  int groups = 1) {
  const bool transposed = module == foldable::conv_transpose;
  if (rank(weight.shape) < 2 || groups < 1 || weight.shape[0] % groups != 0)
    return fail("weight", "is not that of such a module");
  const int outputs = transposed ? weight.shape[1] * groups : weight.shape[0];
  const auto channels = static_cast<std::size_t>(outputs);
  if (!norm.has_channels(channels) || (bias != nullptr && bias->data.size() != channels))
    return fail("batch norm", "has another number of channels than the weight");
  weight_and_bias out{weight, filled({outputs})};
  if (bias != nullptr) out.bias.data = bias->data;
  const auto order =
      module == foldable::linear ? kernels::fold_order::linear : kernels::fold_order::conv;
  std::vector<float> scale(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const kernels::norm_channel n = norm.channel(c);
    scale[c] = n.scale();
    out.bias.data[c] = n.folded_bias(out.bias.data[c], order);
  }
  if (channels == 0) return out;
  // Rows of the weight: one per output channel; transposed: one per pair of input and output
  // channel of a group.
  const auto per_group = channels / static_cast<std::size_t>(groups);
  const auto rows = transposed ? static_cast<std::size_t>(weight.shape[0]) * per_group : channels;
  const std::size_t count = weight.data.size() / rows;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t group = r * static_cast<std::size_t>(groups) / rows;
    const float factor = scale[transposed ? group * per_group + r % per_group : r];
    for (std::size_t i = 0; i < count; ++i) out.weight.data[r * count + i] *= factor;
  }
  return out;
}

}  // namespace ctq::float_ops
