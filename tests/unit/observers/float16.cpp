// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/float16.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace ctq;

TEST_CASE("half precision has eleven digits, and rounds ties to even") {
  CHECK(rounded_to_float16(1.0F + 0x1p-11F) == 1.0F);
  CHECK(rounded_to_float16(1.0F + 0x1.8p-10F) == 1.0F + 0x1p-9F);
  CHECK(rounded_to_float16(-0x1.8p-25F) == -0x1p-24F);
  CHECK(rounded_to_float16(0x1.8p-26F) == 0.0F);  // half of the smallest number is 0x1p-25
  CHECK(rounded_to_float16(65519.0F) == 65504.0F);
  CHECK(rounded_to_float16(65520.0F) == std::numeric_limits<float>::infinity());
  CHECK(weight_in_float16(-1e9F) == -65504.0F);
  CHECK(weight_in_float16(0.1F) == rounded_to_float16(0.1F));
}
