// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/diagnostic.hpp"

#include <doctest/doctest.h>

#include <string>

using ctq::diagnostic;

namespace {

constexpr diagnostic two_lines() {
  diagnostic d;
  d.line("node ", "conv1", ":").line("out_channels is ", 0);
  return d;
}
static_assert(!diagnostic{}.any());
static_assert(two_lines().any());
static_assert(two_lines().message() == "node conv1:\nout_channels is 0");

TEST_CASE("a diagnostic that is too long is cut, not lost") {
  diagnostic d;
  for (int i = 0; i < 100; ++i) d.line("0123456789");
  CHECK(d.any());
  CHECK(d.message().size() == sizeof(d.text.chars));
  CHECK(d.message().starts_with("0123456789\n0123456789\n"));
}

}  // namespace
