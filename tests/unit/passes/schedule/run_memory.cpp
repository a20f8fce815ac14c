// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/run_memory.hpp"

#include <doctest/doctest.h>

#include <cstddef>

using namespace ctq;

TEST_CASE("a value is one of the inputs, outputs or constants, or lies in the arena") {
  std::byte constants[128]{};
  std::byte arena[128]{};
  const float first = 1.0F;
  const float second = 2.0F;
  float result[2]{};
  const void* const in[] = {&first, &second};
  void* const out[] = {&result[0], &result[1]};
  const run_memory memory{constants, in, out, arena};
  using where = place::area;
  CHECK(memory.source({.in = where::input, .offset = 1}) == &second);
  CHECK(memory.source({.in = where::constant, .offset = 64}) == constants + 64);
  CHECK(memory.source({.in = where::output, .offset = 1}) == &result[1]);
  CHECK(memory.source({.in = where::arena, .offset = 64}) == arena + 64);
  CHECK(memory.target({.in = where::output, .offset = 1}) == &result[1]);
  CHECK(memory.target({.in = where::arena, .offset = 64}) == arena + 64);
}
