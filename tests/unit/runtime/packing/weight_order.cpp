// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/packing/weight_order.hpp"

#include <doctest/doctest.h>

#include <span>
#include <vector>

using namespace ctq;

TEST_CASE("channels_last moves the channels to the last axis") {
  const std::vector<int> oihw = {0, 1, 2, 3, 10, 11, 12, 13};  // 1 output, 2 channels, 2 x 2
  CHECK(packing::channels_last<int>(oihw, 1, 2) == std::vector<int>{0, 10, 1, 11, 2, 12, 3, 13});
}

TEST_CASE("the planes of a kernel lie between its pixels and channels") {
  // 1 output, 2 channels, 3 planes of 1 x 2: channel, plane and pixel are the digits.
  const std::vector<int> weight = {0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121};
  CHECK(packing::planes_before_channels<int>(weight, 1, 2, 3) ==
        std::vector<int>{0, 100, 10, 110, 20, 120, 1, 101, 11, 111, 21, 121});
}
