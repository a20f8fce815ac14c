// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
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
  bool is_trained = false;  // as nniqat modules multiply: by gamma / sqrt(variance + eps)

  [[nodiscard]] bool has_channels(std::size_t n) const {
    const auto fits = [n](const tensor* t) { return t == nullptr || t->data.size() == n; };
    return mean != nullptr && variance != nullptr && fits(gamma) && fits(beta) && fits(mean) &&
           fits(variance);
  }
  [[nodiscard]] kernels::norm_channel channel(std::size_t c) const {
    const auto at = [c](const tensor* t, float otherwise) {
      return t == nullptr ? otherwise : t->data[c];
    };
    kernels::norm_channel channel{.gamma = at(gamma, 1.0F),
                                  .beta = at(beta, 0.0F),
                                  .mean = mean->data[c],
                                  .inverse_deviation = kernels::inverse_deviation(
                                      variance->data[c], static_cast<float>(eps))};
    if (is_trained) {
      channel.gamma /= std::sqrt(variance->data[c] + static_cast<float>(eps));
      channel.inverse_deviation = 1.0F;
    }
    return channel;
  }
};

struct weight_and_bias {
  tensor weight, bias;
};

enum class foldable : unsigned char { conv, conv_transpose, linear };

/// The weight and bias of a module with the batch norm folded into them.
/// Shapes  conv, linear: weight (O, …) · conv_transpose: weight (I, O/groups, …) · bias (O), or
///         null, which counts as zeros
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
  const std::size_t rows = transposed ? static_cast<std::size_t>(weight.shape[0]) *
                                            static_cast<std::size_t>(weight.shape[1])
                                      : channels;
  kernels::fold_batch_norm(out.weight.data, out.bias.data, order, channels == 0 ? 0 : rows,
                           transposed ? static_cast<std::size_t>(groups) : 1,
                           [&norm](std::size_t c) { return norm.channel(c); });
  return out;
}

}  // namespace ctq::float_ops
