// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/kernels/float_layers.hpp"

#include <doctest/doctest.h>

#include <memory>

using namespace ctq;

namespace {

/// Counts the layers that a kernel would compute.
struct counting {
  int layers = 0;

  template <class Sizes>
  float_ops::tensor layer(const layer_shape_of<Sizes>& s, const float_ops::tensor&,
                          const std::shared_ptr<const float_ops::tensor>&,
                          const float_ops::tensor*) {
    ++layers;
    return {s.out, std::vector<float>(float_ops::numel(s.out))};
  }
};

float_ops::tensor ones(float_ops::extents shape) {
  const std::size_t count = float_ops::numel(shape);
  return {std::move(shape), std::vector<float>(count, 1.0F)};
}

}  // namespace

TEST_CASE(
    "a layer of floats is a kernel's where one has its shape, else computed as it is defined") {
  counting calls;
  const float_ops::tensor x = ones({1, 2, 3, 3});
  const float_ops::value weight = ones({1, 2, 3, 3});
  const float_ops::convolution_options padded{
      .stride = {1, 1}, .padding = {1, 1}, .dilation = {1, 1}};
  CHECK(float_layers::convolution<counting>(&calls, x, weight, {}, padded).has_value());
  CHECK(calls.layers == 1);
  float_ops::convolution_options odd = padded;
  odd.padding_end = {0, 1};  // no kernel has one
  const auto y = float_layers::convolution<counting>(&calls, x, weight, {}, odd);
  REQUIRE(y.has_value());
  CHECK(calls.layers == 1);
  CHECK(y->data[0] == 8.0F);
  CHECK(float_layers::linear<counting>(&calls, ones({2, 3}), ones({4, 3}), ones({4})).has_value());
  CHECK(calls.layers == 2);
  CHECK_FALSE(
      float_layers::linear<counting>(&calls, ones({2, 3}), ones({4, 3}), ones({5})).has_value());
}
