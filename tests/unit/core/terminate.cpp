// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/terminate.hpp"

#include <doctest/doctest.h>

#include "../death.hpp"

using namespace ctq;

TEST_CASE("a precondition that holds costs nothing, one that does not aborts with words") {
  CHECK(death_of([] { require(true, "never said"); }).exit_code == 0);
  const death d = death_of([] { require(false, "the arena is too small"); });
  CHECK(d.signal == SIGABRT);
  CHECK(d.said == "ctq: precondition violated: the arena is too small\n");
}

TEST_CASE("an error can be the end of a program, with exit code 1") {
  const death d = death_of([] { exit_with_error("net.safetensors: no such file"); });
  CHECK(d.exit_code == 1);
  CHECK(d.said == "error: net.safetensors: no such file\n");
}
