// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/batch_norm_fold.hpp"

#include <doctest/doctest.h>

#include <vector>

using ctq::no_contract;
using ctq::kernels::fold_order;
using ctq::kernels::norm_channel;

TEST_CASE("a batch norm with affine=False only subtracts the mean and divides by the deviation") {
  const norm_channel n{.mean = 2.0F, .inverse_deviation = 0.5F};
  CHECK(n.scale() == 0.5F);
  CHECK(n.shift() == -1.0F);
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
    CHECK(conv == no_contract((bias - 0.1F) * 0.7F * 1.7F) + 0.3F);
    CHECK(linear == no_contract((bias - 0.1F) * (1.7F * 0.7F)) + 0.3F);
    different += conv != linear ? 1 : 0;
  }
  CHECK(different > 0);
}

TEST_CASE("the deviation is that of the variance and eps") {
  CHECK(ctq::kernels::inverse_deviation(3.0F, 1.0F) == 0.5F);
}

TEST_CASE("each row of a weight has the factor of its output channel") {
  const auto norm = [](std::size_t channel) {
    return norm_channel{.gamma = static_cast<float>(channel + 1), .mean = 1.0F};
  };
  // 4 outputs of 3 elements each.
  std::vector<float> weight(12, 1.0F), bias{0, 1, 2, 3};
  ctq::kernels::fold_batch_norm(weight, bias, fold_order::conv, 4, 1, norm);
  CHECK(weight == std::vector<float>{1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4});
  CHECK(bias == std::vector<float>{-1, 0, 3, 8});
  // Transposed: 4 inputs in 2 groups, each with rows for the 2 outputs of its group.
  weight.assign(8, 1.0F);
  ctq::kernels::fold_batch_norm(weight, bias, fold_order::conv, 8, 2, norm);
  CHECK(weight == std::vector<float>{1, 2, 1, 2, 3, 4, 3, 4});
}
