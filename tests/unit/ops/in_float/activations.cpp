// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/activations.hpp"

#include <doctest/doctest.h>

#include <cmath>

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

// Options that PyTorch refuses, too.
static_assert(refuses(fn::softshrink, {2}, {.lambd = -0.5F}));
static_assert(!refuses(fn::softshrink, {2}, {.lambd = 0.0F}));
static_assert(refuses(nn::rrelu, {2}, {.lower = 0.5F}) && !refuses(nn::rrelu, {2}));
static_assert(refuses(nn::celu, {2}, {.alpha = 0.0F}) && !refuses(nn::celu, {2}));

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
  CHECK(value_of(nn::tanhshrink, -0.5F) == near(-0.03788284));
  CHECK(value_of(nn::rrelu, -3.0F) == near(-0.6875));
  CHECK(value_of(fn::rrelu, -2.0F, {.lower = 0.25F, .upper = 0.75F}) == -1.0F);
}

TEST_CASE("thresholds are on one side, and shrinking on both") {
  CHECK(value_of(fn::threshold, 0.25F, {.threshold = 0.25F, .value = 8.0F}) == 8.0F);
  CHECK(value_of(nn::threshold, 0.5F, {.threshold = 0.25F, .value = 8.0F}) == 0.5F);
  CHECK(value_of(nn::hardshrink, 0.5F) == 0.0F);
  CHECK(value_of(nn::hardshrink, -0.5F) == 0.0F);
  CHECK(value_of(method::hardshrink, -0.75F) == -0.75F);
  CHECK(value_of(nn::softshrink, 0.75F) == 0.25F);
  CHECK(value_of(fn::softshrink, -2.0F, {.lambd = 1.5F}) == -0.5F);
  CHECK(value_of(fn::softshrink, -1.0F, {.lambd = 1.5F}) == 0.0F);
}

TEST_CASE("what is not a number stays so") {
  constexpr float not_a_number = __builtin_nanf("");
  CHECK(std::isnan(value_of(fn::threshold, not_a_number)));
  CHECK(std::isnan(value_of(nn::hardshrink, not_a_number)));
  CHECK(std::isnan(value_of(nn::softshrink, not_a_number)));
  CHECK(std::isnan(value_of(nn::rrelu, not_a_number)));
}
