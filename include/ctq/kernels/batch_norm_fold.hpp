// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/no_contract.hpp"

// Folds a batch norm into the preceding convolution or linear layer, for one channel. The order of
// float32 operations is PyTorch's, so that folded weights have the same bits.
//
// Source  PyTorch fuse_conv_bn_weights, fuse_linear_bn_weights

namespace ctq::kernels {

/// The bias formulas of conv and linear differ in the association of their products.
enum class fold_order : unsigned char { conv, linear };

/// One channel of a batch norm; gamma and beta default to those of affine=False.
struct norm_channel {
  float gamma = 1.0F;
  float beta = 0.0F;
  float mean{};
  float inverse_deviation = 1.0F;

  /// Factor of the channel's weights.
  [[nodiscard]] float scale() const { return gamma * inverse_deviation; }
  /// A norm that is not folded computes fma(x, scale, shift).
  [[nodiscard]] float shift() const { return beta - no_contract(mean * scale()); }

  [[nodiscard]] float folded_bias(float bias, fold_order order) const {
    const float centred = bias - mean;
    const float scaled =
        order == fold_order::linear ? centred * scale() : centred * inverse_deviation * gamma;
    return no_contract(scaled) + beta;
  }
};

/// The factor of differences from the mean in batch and layer norms, before the weight.
[[nodiscard]] inline float inverse_deviation(float variance, float eps) {
  return 1.0F / std::sqrt(variance + eps);
}

/// Folds a batch norm into a weight and a bias.
///
/// Shapes  bias [O] · weight: rows of equal length, conv and linear [O] rows with groups = 1,
///         transposed conv [I * O/groups] rows, those of an input channel contiguous
///   norm  gives the norm_channel of an output channel
template <class Norm>
void fold_batch_norm(span<float> weight, span<float> bias, fold_order order, std::size_t rows,
                     std::size_t groups, Norm norm) {
  const std::size_t per_group = bias.size() / groups;
  const std::size_t length = rows == 0 ? 0 : weight.size() / rows;
  for (std::size_t r = 0; r < rows; ++r) {
    const float scale = norm(r * groups / rows * per_group + r % per_group).scale();
    for (float& w : weight.subspan(r * length, length)) w *= scale;
  }
  for (std::size_t c = 0; c < bias.size(); ++c) bias[c] = norm(c).folded_bias(bias[c], order);
}

}  // namespace ctq::kernels
