// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/batch_norm_fold.hpp"

#include <doctest/doctest.h>

using ctq::kernels::fold_order;
using ctq::kernels::norm_channel;

TEST_CASE("a batch norm with affine=False only subtracts the mean and divides by the deviation") {
  const norm_channel n{.mean = 2.0F, .inverse_deviation = 0.5F};
  CHECK(n.scale() == 0.5F);
  CHECK(n.folded_bias(3.0F, fold_order::conv) == 0.5F);
}

TEST_CASE("the biases of conv and linear are rounded differently") {
  // Numbers for which PyTorch 1.13's fuse_conv_bn_weights and fuse_linear_bn_weights differ.
  const norm_channel n{.gamma = 1.7F, .beta = 0.3F, .mean = 0.1F, .inverse_deviation = 0.7F};
  int different = 0;
  for (int i = 0; i < 100; ++i) {
    const float bias = 0.37F * static_cast<float>(i);
    const float conv = n.folded_bias(bias, fold_order::conv);
    const float linear = n.folded_bias(bias, fold_order::linear);
    CHECK(conv == doctest::Approx(linear));
    different += conv != linear ? 1 : 0;
  }
  CHECK(different > 0);
}
