// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/module_path.hpp"

#include <doctest/doctest.h>

using namespace ctq;

static_assert(parent_of("layer1.0.conv1") == "layer1.0" && parent_of("layer1") == "");
static_assert(parent_of("") == "");

TEST_CASE("a module is named by all of its name") {
  CHECK(is_in("layer1.conv", "layer1"));
  CHECK(is_in("layer1", "layer1"));
  CHECK_FALSE(is_in("layer10", "layer1"));
  CHECK_FALSE(is_in("layer", "layer1"));
  CHECK_FALSE(is_in("layer1", ""));
  CHECK_FALSE(is_in("", ""));
}
