// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/finding.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ctq;

namespace {

std::string text_of(const finding& f) {
  std::string out;
  append_finding(out, f);
  return out;
}

TEST_CASE("a finding names field, words and rule") {
  findings found;
  found.error(rule::node_path, {3, -1, "root_node_getter", {}}, "index ", 7, " is too far");
  found.warning(rule::input_index, {3, 0, "input_dtype", "dtype"}, "odd");
  found.error(rule::json_syntax, {}, "expected :");
  CHECK(text_of(found[0]) == "error: root_node_getter: index 7 is too far [node-path]");
  CHECK(text_of(found[1]) == "warning: input_dtype.dtype: odd [input-index]");
  CHECK(text_of(found[2]) == "error: expected : [json-syntax]");
  CHECK(found.count(severity::error) == 2);
  CHECK(found.first_error() == &found[0]);
}

TEST_CASE("nothing found is no error") {
  findings found;
  CHECK(found.first_error() == nullptr);
  found.warning(rule::input_index, {}, "odd");
  CHECK(found.first_error() == nullptr);
}

TEST_CASE("warnings never keep an error out") {
  findings found;
  for (int i = 0; i < 2 * max_findings; ++i) found.warning(rule::input_index, {}, "odd");
  CHECK(found.size() == max_findings);
  CHECK_FALSE(found.full());
  found.error(rule::input_index, {}, "wrong");
  CHECK(found.first_error() != nullptr);
  for (int i = 0; i < 2 * max_findings; ++i) found.error(rule::input_index, {}, "wrong");
  CHECK(found.full());
  CHECK(found.count(severity::error) == max_findings);
  CHECK(found.total() == 4 * max_findings + 1);
}

}  // namespace
