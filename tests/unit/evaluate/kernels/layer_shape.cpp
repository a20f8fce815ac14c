// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/kernels/layer_shape.hpp"

#include <doctest/doctest.h>

using namespace ctq;

TEST_CASE("one axis is an image of one row") {
  const auto s = convolution_layer({2, 6, 10}, {4, 3, 5}, {{2}, {1}, {1}, 2});
  REQUIRE(s.has_value());
  CHECK(s->conv == conv2d_shape{.batch = 2,
                                .in_h = 1,
                                .in_w = 10,
                                .in_channels = 6,
                                .out_channels = 4,
                                .kernel_h = 1,
                                .kernel_w = 5,
                                .stride_w = 2,
                                .padding_w = 1,
                                .groups = 2});
  CHECK(s->out == float_ops::extents{2, 4, 4});
}

TEST_CASE("two axes keep their order") {
  const auto s = convolution_layer({1, 3, 9, 11}, {5, 3, 2, 4}, {{2, 1}, {1, 0}, {1, 2}, 1});
  REQUIRE(s.has_value());
  CHECK(s->conv.stride_h == 2);
  CHECK(s->conv.padding_h == 1);
  CHECK(s->conv.dilation_w == 2);
  CHECK(s->out == float_ops::extents{1, 5, 5, 5});
}

TEST_CASE("what kernels have no form for has no shape") {
  const window_steps one{{1}, {0}, {1}, 1};
  CHECK_FALSE(convolution_layer({1, 1}, {1, 1}, one).has_value());
  CHECK_FALSE(convolution_layer({0, 1, 4}, {1, 1, 2}, one).has_value());
  CHECK_FALSE(convolution_layer({1, 1, 4}, {1, 1, 5}, one).has_value());
  CHECK_FALSE(convolution_layer({1, 2, 4}, {1, 1, 2}, one).has_value());
  CHECK_FALSE(convolution_layer({1, 1, 4}, {1, 1, 2}, {{0}, {0}, {1}, 1}).has_value());
  CHECK_FALSE(convolution_layer({1, 1, 4}, {1, 1, 2}, {{1, 1}, {0}, {1}, 1}).has_value());
  CHECK_FALSE(convolution_layer({1, 3, 4}, {4, 1, 2}, {{1}, {0}, {1}, 3}).has_value());
  CHECK_FALSE(convolution_layer({64, 1 << 14, 1 << 14}, {1, 1 << 14, 1}, one).has_value());
  CHECK_FALSE(convolution_layer({1 << 10, 1, 1 << 10}, {1 << 12, 1, 1}, one).has_value());
  const window_steps three{{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1};
  CHECK_FALSE(convolution_layer({1, 1, 4, 4, 4}, {1, 1, 2, 2, 2}, three).has_value());
  CHECK_FALSE(conv3d_layer({1, 1, 4, 4}, {1, 1, 2, 2}, three).has_value());
  CHECK_FALSE(conv3d_layer({1, 1, 4, 4, 4}, {1, 1, 5, 2, 2}, three).has_value());
}

TEST_CASE("three axes keep their order") {
  const auto s =
      conv3d_layer({1, 4, 7, 9, 11}, {6, 2, 1, 2, 4}, {{3, 2, 1}, {0, 1, 0}, {1, 1, 2}, 2});
  REQUIRE(s.has_value());
  CHECK(s->conv.kernel_d == 1);
  CHECK(s->conv.kernel_w == 4);
  CHECK(s->conv.stride_d == 3);
  CHECK(s->conv.padding_h == 1);
  CHECK(s->conv.dilation_w == 2);
  CHECK(s->out == float_ops::extents{1, 6, 3, 5, 5});
}

TEST_CASE("a transposed convolution of one axis or two") {
  const auto s = transposed_convolution_layer({2, 6, 10}, {6, 2, 5}, {{2}, {1}, {1}, 2}, {1});
  REQUIRE(s.has_value());
  CHECK(s->conv == conv_transpose2d_shape{.batch = 2,
                                          .in_h = 1,
                                          .in_w = 10,
                                          .in_channels = 6,
                                          .out_channels = 4,
                                          .kernel_h = 1,
                                          .kernel_w = 5,
                                          .stride_w = 2,
                                          .padding_w = 1,
                                          .output_padding_w = 1,
                                          .groups = 2});
  CHECK(s->out == float_ops::extents{2, 4, 22});
  const auto image =
      transposed_convolution_layer({1, 3, 4, 5}, {3, 7, 2, 3}, {{2, 1}, {0, 1}, {1, 1}, 1}, {0, 0});
  REQUIRE(image.has_value());
  CHECK(image->out == float_ops::extents{1, 7, 8, 5});
  const window_steps one{{1}, {0}, {1}, 1};
  CHECK_FALSE(transposed_convolution_layer({1, 2, 4}, {3, 2, 2}, one, {0}).has_value());
  CHECK_FALSE(transposed_convolution_layer({1, 2, 4}, {2, 2, 2}, one, {1}).has_value());
  CHECK_FALSE(transposed_convolution_layer({1, 2, 4}, {2, 2, 2}, one, {}).has_value());
  CHECK_FALSE(
      transposed_convolution_layer({1, 2, 2}, {2, 2, 1}, {{1}, {1}, {1}, 1}, {0}).has_value());
}

TEST_CASE("a transposed convolution of three axes") {
  const auto s = conv_transpose3d_layer({2, 4, 3, 4, 5}, {4, 3, 2, 1, 3},
                                        {{2, 1, 2}, {0, 0, 1}, {1, 1, 1}, 2}, {1, 0, 0});
  REQUIRE(s.has_value());
  CHECK(s->conv == conv_transpose3d_shape{.batch = 2,
                                          .in_d = 3,
                                          .in_h = 4,
                                          .in_w = 5,
                                          .in_channels = 4,
                                          .out_channels = 6,
                                          .kernel_d = 2,
                                          .kernel_h = 1,
                                          .kernel_w = 3,
                                          .stride_d = 2,
                                          .stride_w = 2,
                                          .padding_w = 1,
                                          .output_padding_d = 1,
                                          .groups = 2});
  CHECK(s->out == float_ops::extents{2, 6, 7, 4, 9});
  const window_steps one{{1}, {0}, {1}, 1};
  CHECK_FALSE(conv_transpose3d_layer({1, 2, 4}, {2, 2, 2}, one, {0}).has_value());
}

TEST_CASE("a linear layer is a convolution on one row, whatever axes come before the features") {
  const auto s = linear_layer({2, 3, 5}, {4, 5});
  REQUIRE(s.has_value());
  CHECK(s->conv == as_conv2d({.rows = 6, .in_features = 5, .out_features = 4}));
  CHECK((s->order == kernel_layout::any));
  CHECK(s->out == float_ops::extents{2, 3, 4});
  CHECK_FALSE(linear_layer({2, 3}, {4, 5}).has_value());
  CHECK_FALSE(linear_layer({0, 5}, {4, 5}).has_value());
}
