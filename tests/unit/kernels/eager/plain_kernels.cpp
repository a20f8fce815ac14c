// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/eager/plain_kernels.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ctq;

namespace {

const eager::tensor ones{{1, 1, 2}, {1.0F, 1.0F}};

}  // namespace

TEST_CASE("the plain set is the loops of the folder") {
  const eager::tensor weight{{1, 1, 1}, {2.0F}};
  const eager::convolution_options o{.stride = {1}, .padding = {0}, .dilation = {1}};
  const auto out = eager::plain.convolution(ones, weight, eager::value(), o);
  REQUIRE(out.has_value());
  CHECK(out->data == std::vector<float>{2.0F, 2.0F});
  CHECK_FALSE(eager::plain.linear(ones, eager::value(), eager::value()).has_value());
}
