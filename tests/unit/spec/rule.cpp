// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/rule.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace ctq;

static_assert(about(rule::unknown_op).name == "unknown-op");
static_assert(about(rule::regex_syntax).name == "regex-syntax");
static_assert(about(rule::no_kernel_signature).name == "no-kernel-signature");
static_assert(name_of(severity::warning) == "warning");

TEST_CASE("every rule has a name of its own, an explanation and a fix") {
  std::set<std::string> names;
  for (int i = 0; i < rule_count; ++i) {
    const rule_info& r = about(static_cast<rule>(i));
    names.emplace(r.name);
    CHECK(r.explanation.ends_with('.'));
    CHECK(r.fix.ends_with('.'));
  }
  CHECK(static_cast<int>(names.size()) == rule_count);
}
