// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/layer_calls.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "ctq/evaluate/kernel_calls.hpp"

using namespace ctq;

namespace {

using fast = kernel_calls<fast_kernels>;

float_ops::tensor random_tensor(std::mt19937& random, float_ops::extents shape) {
  std::normal_distribution<float> normal;
  float_ops::tensor t = float_ops::filled(std::move(shape));
  for (float& x : t.data) x = normal(random);
  return t;
}

/// The largest difference, as a part of the largest value.
double difference(const float_ops::tensor& a, const float_ops::tensor& b) {
  double largest = 0.0;
  double size = 1e-30;
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    largest = std::max(largest, static_cast<double>(std::abs(a.data[i] - b.data[i])));
    size = std::max(size, static_cast<double>(std::abs(a.data[i])));
  }
  return largest / size;
}

void compare_convolution(fast& kernels, std::mt19937& random, float_ops::extents in,
                         float_ops::extents weight, const float_ops::convolution_options& o) {
  const float_ops::tensor x = random_tensor(random, std::move(in));
  const float_ops::value bias = random_tensor(random, {weight[0]});
  const float_ops::value w = random_tensor(random, std::move(weight));
  const auto wanted = float_ops::convolution(x, *w.get_if<float_ops::tensor>(),
                                             bias.get_if<float_ops::tensor>(), o);
  const auto by = kernels.float_layers();
  const auto got = by.convolution(by.state, x, w, bias, o);
  REQUIRE(got.has_value() == wanted.has_value());
  if (!wanted) {
    CHECK(got.error().message() == wanted.error().message());
    return;
  }
  REQUIRE(got->shape == wanted->shape);
  CHECK(difference(*wanted, *got) < 1e-5);
}

}  // namespace

TEST_CASE("convolutions differ from loops in double in the last bits at most") {
  std::mt19937 random(1);
  fast kernels;
  const float_ops::convolution_options one{.stride = {1}, .padding = {1}, .dilation = {1}};
  compare_convolution(kernels, random, {2, 5, 19}, {7, 5, 3}, one);
  const float_ops::convolution_options two{.stride = {2, 1}, .padding = {0, 2}, .dilation = {1, 2}};
  compare_convolution(kernels, random, {2, 9, 11, 13}, {33, 9, 3, 2}, two);
  float_ops::convolution_options grouped{
      .stride = {1, 1}, .padding = {1, 1}, .dilation = {1, 1}, .groups = 18};
  compare_convolution(kernels, random, {1, 18, 8, 8}, {18, 1, 3, 3}, grouped);
  grouped.groups = 3;
  compare_convolution(kernels, random, {1, 18, 8, 8}, {6, 6, 3, 3}, grouped);
}

TEST_CASE("what has no kernel is what the op's own loops give, errors too") {
  std::mt19937 random(2);
  fast kernels;
  const float_ops::convolution_options volume{
      .stride = {1, 1, 1}, .padding = {0, 0, 0}, .dilation = {1, 1, 1}};
  compare_convolution(kernels, random, {1, 2, 4, 4, 4}, {3, 2, 2, 2, 2}, volume);
  const float_ops::convolution_options same{
      .stride = {1}, .padding = {0}, .dilation = {1}, .padding_end = {1}};
  compare_convolution(kernels, random, {1, 2, 6}, {3, 2, 2}, same);
  const float_ops::convolution_options large{.stride = {1}, .padding = {0}, .dilation = {1}};
  compare_convolution(kernels, random, {1, 2, 6}, {3, 2, 7}, large);
  compare_convolution(kernels, random, {1, 3, 6}, {3, 2, 2}, large);
}

TEST_CASE("the reference leaves floats to the ops' own loops") {
  kernel_calls<reference_kernels> kernels;
  const auto by = kernels.float_layers();
  CHECK((by.convolution == nullptr));
  CHECK((by.linear == nullptr));
}

TEST_CASE("linear layers take any axes before the features") {
  std::mt19937 random(3);
  fast kernels;
  const auto by = kernels.float_layers();
  const float_ops::value weight = random_tensor(random, {5, 37});
  const float_ops::value bias = random_tensor(random, {5});
  for (const float_ops::extents& shape :
       {float_ops::extents{37}, {3, 37}, {2, 1, 4, 37}, {0, 37}}) {
    const float_ops::tensor x = random_tensor(random, shape);
    for (const float_ops::value& b : {bias, float_ops::value()}) {
      const auto wanted =
          float_ops::linear(x, *weight.get_if<float_ops::tensor>(), b.get_if<float_ops::tensor>());
      const auto got = by.linear(by.state, x, weight, b);
      REQUIRE(got.has_value());
      REQUIRE(got->shape == wanted->shape);
      CHECK(difference(*wanted, *got) < 1e-5);
    }
  }
  CHECK_FALSE(by.linear(by.state, random_tensor(random, {2, 36}), weight, bias).has_value());
}
