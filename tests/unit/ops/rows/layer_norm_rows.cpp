// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/rows/layer_norm_rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using ctq::descriptors::functions::normalize_rows;

TEST_CASE("each row has mean 0 and variance 1, before weights and biases") {
  std::vector<float> x{1, 3, 5, 5, -2, 2, 2, -2};
  const float weight[] = {1, 2, 3, 4}, bias[] = {0, 0, 10, 0};
  std::vector<float> y(8);
  normalize_rows(x.data(), 2, 4, weight, bias, 0, y.data());
  const double deviation = std::sqrt(2.75);
  const double wanted[] = {
      -2.5 / deviation, -1 / deviation, 10 + 4.5 / deviation, 6 / deviation, -1, 2, 13, -4};
  for (std::size_t i = 0; i < 8; ++i)
    CHECK(static_cast<double>(y[i]) == doctest::Approx(wanted[i]));
  // In place.
  normalize_rows(x.data(), 2, 4, weight, bias, 0, x.data());
  CHECK(std::equal(x.begin(), x.end(), y.begin()));
}

TEST_CASE("eps is added to the variance, and there may be no bias") {
  const float x[] = {-2, 2}, weight[] = {3, 3};
  float y[2];
  normalize_rows(x, 1, 2, weight, nullptr, 12, y);
  CHECK(y[0] == -1.5F);
  CHECK(y[1] == 1.5F);
}
