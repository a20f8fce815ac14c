// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/real.hpp"

#include <doctest/doctest.h>

using ctq::real;

namespace {

template <real Value>
struct bound {
  static constexpr double value = Value.value;
};

static_assert(bound<0x1p-12>::value == 0x1p-12);
static_assert(bound<1.0>::value == 1.0);
static_assert(bound<1>::value == 1.0);  // a whole number is one too
static_assert(real{} == real{0.0});
static_assert(real{0.5} != real{0.25});

TEST_CASE("a real is a template argument and keeps every bit of a double") {
  CHECK(bound<0.1>::value == 0.1);
  CHECK(bound<-1e-300>::value == -1e-300);
}

}  // namespace
