// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/convolution_shape.hpp"

#include <doctest/doctest.h>

using namespace ctq;

TEST_CASE("one axis is an image of one row") {
  const auto s = convolution_shape({2, 6, 10}, {4, 3, 5}, {{2}, {1}, {1}, 2});
  REQUIRE(s.has_value());
  CHECK(*s == conv2d_shape{.batch = 2,
                           .in_h = 1,
                           .in_w = 10,
                           .in_channels = 6,
                           .out_channels = 4,
                           .kernel_h = 1,
                           .kernel_w = 5,
                           .stride_w = 2,
                           .padding_w = 1,
                           .groups = 2});
  CHECK(output_extents(*s, 3) == float_ops::extents{2, 4, 4});
}

TEST_CASE("two axes keep their order") {
  const auto s = convolution_shape({1, 3, 9, 11}, {5, 3, 2, 4}, {{2, 1}, {1, 0}, {1, 2}, 1});
  REQUIRE(s.has_value());
  CHECK(s->stride_h == 2);
  CHECK(s->padding_h == 1);
  CHECK(s->dilation_w == 2);
  CHECK(output_extents(*s, 4) == float_ops::extents{1, 5, 5, 5});
}

TEST_CASE("what kernels have no form for has no shape") {
  const window_steps one{{1}, {0}, {1}, 1};
  CHECK_FALSE(convolution_shape({1, 1}, {1, 1}, one).has_value());
  CHECK_FALSE(convolution_shape({0, 1, 4}, {1, 1, 2}, one).has_value());
  CHECK_FALSE(convolution_shape({1, 1, 4}, {1, 1, 5}, one).has_value());
  CHECK_FALSE(convolution_shape({1, 2, 4}, {1, 1, 2}, one).has_value());
  CHECK_FALSE(convolution_shape({1, 1, 4}, {1, 1, 2}, {{0}, {0}, {1}, 1}).has_value());
  CHECK_FALSE(convolution_shape({1, 1, 4}, {1, 1, 2}, {{1, 1}, {0}, {1}, 1}).has_value());
  CHECK_FALSE(convolution_shape({1, 3, 4}, {4, 1, 2}, {{1}, {0}, {1}, 3}).has_value());
  CHECK_FALSE(convolution_shape({64, 1 << 14, 1 << 14}, {1, 1 << 14, 1}, one).has_value());
  const window_steps three{{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1};
  CHECK_FALSE(convolution_shape({1, 1, 4, 4, 4}, {1, 1, 2, 2, 2}, three).has_value());
}
