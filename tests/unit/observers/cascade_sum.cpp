// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/cascade_sum.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace {

using ctq::observers::cascade_sum;

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

}  // namespace
