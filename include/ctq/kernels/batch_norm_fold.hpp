// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

#include "ctq/core/no_contract.hpp"

// How a batch norm goes into the module before it: one channel, in PyTorch's order of float32
// operations, so that folded weights have the same bits.
//
// Source  PyTorch fuse_conv_bn_weights, fuse_linear_bn_weights

namespace ctq::kernels {

/// The bias of a conv and that of a linear are the same sum, associated differently.
enum class fold_order : unsigned char { conv, linear };

/// One channel of a batch norm; the defaults are those of one that is not affine.
struct norm_channel {
  float gamma = 1.0F;
  float beta = 0.0F;
  float mean{};
  float inverse_deviation = 1.0F;

  /// What the weights of the channel are multiplied with.
  [[nodiscard]] float scale() const { return gamma * inverse_deviation; }

  [[nodiscard]] float folded_bias(float bias, fold_order order) const {
    const float centred = bias - mean;
    const float scaled =
        order == fold_order::linear ? centred * scale() : centred * inverse_deviation * gamma;
    return no_contract(scaled) + beta;
  }
};

[[nodiscard]] inline float inverse_deviation(float variance, float eps) {
  return 1.0F / std::sqrt(variance + eps);
}

}  // namespace ctq::kernels
