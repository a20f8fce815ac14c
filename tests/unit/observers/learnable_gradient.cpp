// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/learnable_gradient.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace ctq;
using namespace ctq::observers;

namespace {

constexpr quant_range u8{0, 255};

TEST_CASE("the forward pass rounds the zero point to even, the backward pass upwards") {
  CHECK(rounded({1.0F, 2.5F, u8}).zero_point == 2);
  CHECK(rounded_backward({1.0F, 2.5F, u8}).zero_point == 3);
  CHECK(rounded({1.0F, -3.0F, u8}).zero_point == 0);
  CHECK(rounded({1.0F, 300.0F, u8}).zero_point == 255);
  CHECK(rounded_backward({1.0F, -0.7F, {-128, 127}}).zero_point == 0);
  CHECK(rounded({1.0F, -0.7F, {-128, 127}}).zero_point == -1);
}

TEST_CASE(
    "inside the range, the gradient of the scale is the rounding error in units of the scale") {
  const learnable_element element(qparams{0.5F, 10, 0, 255}, 1.0);
  CHECK(element.inside(0.6F));
  const qparams_gradient g = element(0.6F, 2.0F);  // 1.2 units of the scale, rounded to 1
  CHECK(g.scale == doctest::Approx(2.0 * (0.5 - 0.6) / 0.5));
  CHECK(g.zero_point == 0.0F);
}

TEST_CASE("outside the range, scale and zero point have the gradient of the bound") {
  const learnable_element element(qparams{0.5F, 10, 0, 255}, 0.25);
  CHECK(!element.inside(-6.0F));
  CHECK(element(-6.0F, 2.0F).scale == 2.0F * -10.0F * 0.25F);
  CHECK(element(-6.0F, 2.0F).zero_point == -2.0F * 0.5F * 0.25F);
  CHECK(element(1e38F, 2.0F).scale == 2.0F * 245.0F * 0.25F);
  const qparams_gradient none = element(std::numeric_limits<float>::quiet_NaN(), 2.0F);
  CHECK(none.scale == 0.0F);
  CHECK(none.zero_point == 0.0F);
}

TEST_CASE("the gradients of a tensor's parameters are sums, that of the input is passed through") {
  const learnable_qparams p{1.0F, 3.2F, u8};
  const std::vector<float> in{0.25F, -7.0F, 400.0F};
  std::vector<float> grad{1.0F, 2.0F, 4.0F};
  const qparams_gradient g = learnable_gradient(in, p, 1.0, grad, grad);
  CHECK(grad == std::vector{1.0F, 0.0F, 0.0F});
  CHECK(g.scale == -0.25F + 2.0F * -3.0F + 4.0F * 252.0F);
  CHECK(g.zero_point == -6.0F);
}

TEST_CASE("each channel has its own gradients") {
  const std::vector<learnable_qparams> p{{1.0F, 0.0F, u8}, {0.5F, 0.0F, u8}};
  const std::vector<float> in{-1.0F, -1.0F, 0.25F, 0.375F};
  std::vector<float> grad(4, 1.0F);
  const auto g = learnable_gradient(in, shape(2, 2), 1, p, 1.0, grad, grad);
  REQUIRE(g.size() == 2);
  CHECK(g[0].scale == -0.25F);
  CHECK(g[1].scale == 0.25F);  // 0.375 is 0.75 of a step, rounded to 1
  CHECK(g[0].zero_point == -1.0F);
  CHECK(g[1].zero_point == -0.5F);
  CHECK(grad == std::vector{0.0F, 0.0F, 1.0F, 1.0F});
}

}  // namespace
