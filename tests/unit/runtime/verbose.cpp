// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/verbose.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace ctq;

namespace {

/// Whether a program that starts with this value is verbose; null: without the variable.
bool verbose_with(const char* value) {
  if (value == nullptr) {
    ::unsetenv("CTQ_VERBOSE");
  } else {
    ::setenv("CTQ_VERBOSE", value, 1);
  }
  verbose::state.store(-1);
  const bool on = verbose::on();
  ::unsetenv("CTQ_VERBOSE");
  CHECK(verbose::on() == on);  // looked at once
  verbose::state.store(0);
  return on;
}

}  // namespace

TEST_CASE("CTQ_VERBOSE is off without a value, and with 0") {
  CHECK_FALSE(verbose_with(nullptr));
  CHECK_FALSE(verbose_with(""));
  CHECK_FALSE(verbose_with("0"));
  CHECK(verbose_with("1"));
}

TEST_CASE("the clock does not go back") {
  const auto before = verbose::now();
  CHECK(verbose::now() >= before);
}
