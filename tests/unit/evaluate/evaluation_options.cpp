// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/evaluation_options.hpp"

#include <doctest/doctest.h>

TEST_CASE("by default nothing is observed, nothing rounded, and no op has a meaning of its own") {
  const ctq::evaluation_options o;
  CHECK(o.semantics == ctq::semantics::torch_2_1);
  CHECK(o.observers == nullptr);
  CHECK(o.steps == nullptr);
  CHECK_FALSE(static_cast<bool>(o.own));
}
