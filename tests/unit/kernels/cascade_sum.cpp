// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/cascade_sum.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace ctq::kernels;

TEST_CASE("each group and lane has an independent sum") {
  std::vector<float> x(24);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  float sums[4];
  cascade_sums<2, 2>(x.data(), 8, 4, 3, sums);  // elements 0, 1, 4, 5 of each row of 8
  CHECK(sums[0] == 24.0F);
  CHECK(sums[1] == 27.0F);
  CHECK(sums[2] == 36.0F);
  CHECK(sums[3] == 39.0F);
}

TEST_CASE("rows may have a stride, in any number") {
  std::vector<float> x(400);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7);
  for (const std::size_t rows : {0U, 1U, 3U, 4U, 5U, 79U}) {
    float sums[2];
    cascade_rows(x.data(), rows, sums, 5);
    float wanted[2]{};
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t l = 0; l < 2; ++l) wanted[l] += x[r * 5 + l];  // exact: small integers
    CHECK(sums[0] == wanted[0]);
    CHECK(sums[1] == wanted[1]);
  }
}
