// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/attributes.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

static_assert(extent2d{3} == extent2d{3, 3});
static_assert(extent2d{3, 5}.h == 3 && extent2d{3, 5}.w == 5);
static_assert(flag{true} && !flag{false} && !flag{});

struct some_options {
  int count = 3;
  float real = 0.5F;
  extent2d window{};
  flag is_set = true;
};
static_assert(attributes{some_options{}} == attributes{some_options{}});
static_assert(attributes{some_options{}} != attributes{some_options{4}});
static_assert(attributes{} == attributes{no_options{}});

TEST_CASE("options survive being kept as words") {
  const auto back = attributes{some_options{-1, 1e-3F, {1, 2}, false}}.as<some_options>();
  CHECK(back.count == -1);
  CHECK(back.real == 1e-3F);
  CHECK(back.window == extent2d{1, 2});
  CHECK(!back.is_set);
}

}  // namespace
