// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/place_of.hpp"

#include <doctest/doctest.h>

using namespace ctq;

TEST_CASE("errors call a node by its name") {
  CHECK(place_of(node{.name = "layer1.0.conv1"}) == "node layer1.0.conv1");
  CHECK(place_of(node{.name = "dequantize", .number = 0}) == "node dequantize_0");
}
