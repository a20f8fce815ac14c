// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/packing/int4_values.hpp"

#include <doctest/doctest.h>

using ctq::packing::int4_values;

TEST_CASE("two weights are a byte, the first in its low half, but not of two rows") {
  const std::vector<std::int8_t> weight{-8, 7, 0, 1, -1, 2};
  CHECK(int4_values(weight, 3) == std::vector<std::uint8_t>{0xF0, 0x08, 0x79, 0x0A});
  CHECK(int4_values(weight, 2) == std::vector<std::uint8_t>{0xF0, 0x98, 0xA7});
  CHECK(int4_values({}, 0).empty());
}
