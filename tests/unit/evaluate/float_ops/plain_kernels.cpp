// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/plain_kernels.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ctq;

namespace {

const float_ops::tensor ones{{1, 1, 2}, {1.0F, 1.0F}};

}  // namespace

TEST_CASE("the plain set is the loops of the folder") {
  const float_ops::tensor weight{{1, 1, 1}, {2.0F}};
  const float_ops::convolution_options o{.stride = {1}, .padding = {0}, .dilation = {1}};
  const auto out = float_ops::plain.convolution(ones, weight, float_ops::value(), o);
  REQUIRE(out.has_value());
  CHECK(out->data == std::vector<float>{2.0F, 2.0F});
  CHECK_FALSE(float_ops::plain.linear(ones, float_ops::value(), float_ops::value()).has_value());
}
