// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/activations.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

namespace {
constexpr shape images[] = {{2, 3, 4, 5}, {3, 4, 5}};
constexpr view<shape> image{images, 1}, alone{images + 1, 1};
}  // namespace

// Of channels, counted with a batch or without.
static_assert(answer_of(nn::softmax2d, image).options.as<softmax_options>().dim == 1);
static_assert(answer_of(nn::softmax2d, alone).options.as<softmax_options>().dim == 0);
static_assert(shape_by(nn::softmax2d, {2, 3, 4, 5}) == shape{2, 3, 4, 5});
static_assert(refuses(nn::softmax2d, {2, 3}) && refuses(nn::softmax2d, {1, 2, 3, 4, 5}));

TEST_CASE("activations have PyTorch's values") {
  const auto near = [](double x) { return doctest::Approx(x).epsilon(1e-6); };
  CHECK(value_of(nn::celu, 2.0F) == 2.0F);
  CHECK(value_of(fn::celu, -0.5F, {.alpha = 2.0F}) == near(-0.44239843));
  CHECK(value_of(nn::softsign, 2.0F) == near(0.66666669));
  CHECK(value_of(fn::softsign, -0.5F) == near(-0.33333334));
  CHECK(value_of(fn::relu_, -1.5F) == 0.0F);
  CHECK(value_of(nn::selu, 2.0F) == near(2.10140204));
  CHECK(value_of(fn::selu, -0.5F) == near(-0.69175816));
  CHECK(value_of(nn::gelu, -0.5F) == near(-0.15426879));
  CHECK(value_of(fn::gelu, -0.5F, {.approximate = gelu_rule::tanh}) == near(-0.15428600));
  CHECK(value_of(nn::silu, -0.5F) == near(-0.18877034));
  CHECK(value_of(nn::mish, -0.5F) == near(-0.22074376));
  CHECK(value_of(fn::log_sigmoid, 2.0F) == near(-0.12692802));
  CHECK(value_of(nn::log_sigmoid, -0.5F) == near(-0.97407699));
  CHECK(value_of(nn::softplus, -0.5F, {.beta = 2.0F}) == near(0.15663084));
  CHECK(value_of(fn::softplus, 0.75F, {.beta = 2.0F, .threshold = 1.0F}) == 0.75F);
}
