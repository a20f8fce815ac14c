// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/cumulative.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../calls.hpp"

using namespace ctq;

static_assert(shape_by(fn::cumsum, {2, 3, 4}, {.dim = -2}) == shape{2, 3, 4});
static_assert(refuses(fn::cumsum, {2, 3}, {.dim = 2}) &&
              refuses(method::cumprod, {2}, {.dim = -2}));

TEST_CASE("each element is the sum or the product of those up to it") {
  check_values(values_of_matrix(fn::cumsum, {.dim = 1}), {1, -1, 2, 2.5, 2, 2, 1, 5});
  check_values(values_of_matrix(method::cumsum, {.dim = 0}), {1, -2, 3, 0.5, 3, -2, 2, 4.5});
  check_values(values_of_matrix(fn::cumprod, {.dim = -1}), {1, -2, -6, -3, 2, 0, 0, 0});
}

TEST_CASE("sums are accumulated in double, as PyTorch does") {
  const test_tensor x{{3}, {16777216.0F, 1.0F, 1.0F}};
  CHECK(values_of(fn::cumsum, {x}) == std::vector<float>{16777216.0F, 16777216.0F, 16777218.0F});
}
