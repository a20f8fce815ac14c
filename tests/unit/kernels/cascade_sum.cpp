// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/cascade_sum.hpp"

#include <doctest/doctest.h>

#include <cmath>
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

TEST_CASE("sums of integers are exact for every length") {
  for (const std::size_t n : {0U, 1U, 3U, 4U, 7U, 8U, 9U, 31U, 32U, 33U, 511U, 512U, 513U, 9000U}) {
    std::vector<float> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 100);
    double sum = 0;
    for (const float v : x) sum += static_cast<double>(v);
    CHECK(static_cast<double>(cascade_sum(x)) == sum);
  }
}

TEST_CASE("the order is that of torch.sum") {
  // Ones are lost when they meet 2^24 one by one, and kept when they meet each other first. Here
  // 2^24 lies in lane 0 of row 0, which takes 16 at once before it moves up a level.
  std::vector<float> x(2048, 1.0F);
  x[0] = 0x1p24F;
  CHECK(cascade_sum(x) == 0x1p24F + 2032.0F);  // torch.sum(x) with AVX2: 16779248
  x.assign(7, 1.0F);
  x[0] = 0x1p24F;
  CHECK(cascade_sum(x) == 0x1p24F);  // torch.sum(x): 16777216
}

TEST_CASE("the error stays small over many terms") {
  const std::vector<float> x(1U << 20U, 0.1F);
  CHECK(std::abs(static_cast<double>(cascade_sum(x)) / (0x1p20 * static_cast<double>(0.1F)) - 1) <
        1e-6);
}
