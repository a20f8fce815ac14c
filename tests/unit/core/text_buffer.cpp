// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/text_buffer.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/core/text.hpp"

using namespace ctq;

namespace {

constexpr bool grows() {
  text_buffer t;
  append_all(t, "no more than ", 64, " ops");
  return t.view() == "no more than 64 ops" && t.size() == 19;
}
static_assert(grows());
static_assert(text_buffer{}.view().empty());

TEST_CASE("nothing is cut") {
  text_buffer t;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    append_all(t, i, ",");
    append_all(expected, i, ",");
  }
  CHECK(t.view() == expected);
}

}  // namespace
