// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/located.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "parsed.hpp"

using namespace ctq;

namespace {

constexpr std::string_view text = R"({"name": "n", "configs": [
  {"pattern": "a"},
  {"pattern_complex_format": "b", "dtype_configs": [{}, {"input_dtype": {"dtype": "quint8"}}]}]})";

/// What stands at a place.
constexpr std::string_view at(const spec_place& place) {
  const json::parsed in{text};
  return json::locate(in.root(), place).text();
}

static_assert(at({}) == text);
static_assert(at({.config = 0}) == R"({"pattern": "a"})");
static_assert(at({.config = 0, .field = "pattern"}) == "a");
static_assert(at({.config = 1, .dtype_config = 1, .field = "input_dtype", .part = "dtype"}) ==
              "quint8");

/// Findings at offsets, the second of them a warning.
findings three_at(int first, int second, int third) {
  findings found;
  found.add(rule::unknown_key, severity::error, {}, first, {word("first")});
  found.add(rule::unknown_key, severity::warning, {}, second, {word("second")});
  found.add(rule::unknown_key, severity::error, {}, third, {word("third")});
  return found;
}

TEST_CASE("a pattern is found under either of its keys") {
  CHECK(at({.config = 1, .field = "pattern"}) == "b");
}

TEST_CASE("what is not there is said of the deepest value that is") {
  CHECK(at({.config = 0, .field = "root_module"}) == R"({"pattern": "a"})");
  CHECK(at({.config = 0, .dtype_config = 3, .field = "pattern"}) == "a");
  CHECK(at({.config = 1, .dtype_config = 0, .field = "input_dtype", .part = "dtype"}) == "{}");
  CHECK(at({.config = 1, .dtype_config = 1, .field = "input_dtype", .part = "quant_max"}) ==
        R"({"dtype": "quint8"})");
  CHECK(at({.config = 0, .field = "pattern", .part = "x"}) == "a");
  const json::parsed bare{R"({"name": "n"})"};
  CHECK(json::locate(bare.root(), {.config = 5, .field = "pattern"}) == bare.root());
}

TEST_CASE("a finding without an offset is said of the start") {
  CHECK(json::at_of(finding{}) == 0);
  CHECK(json::at_of(finding{.offset = 7}) == 7);
}

TEST_CASE("errors of the syntax keep their rule and their place") {
  findings found;
  json::add_syntax_error(found, {"json-depth", "deep", 3});
  json::add_syntax_error(found, {"json-utf8", "bytes", 4});
  json::add_syntax_error(found, {"json-syntax", "expected :", 5});
  REQUIRE(found.size() == 3);
  CHECK(found[0].rule == rule::json_depth);
  CHECK(found[1].rule == rule::json_utf8);
  CHECK(found[2].rule == rule::json_syntax);
  CHECK(found[2].offset == 5);
  CHECK(found[2].text.view() == "expected :");
  CHECK(found.count(severity::error) == 3);
}

TEST_CASE("only findings without an offset are given one") {
  const json::parsed in{text};
  findings found;
  found.error(rule::duplicate_pattern, {.config = 0, .field = "pattern"}, "a");
  found.add(rule::unknown_key, severity::error, {.config = 0}, 3, {word("b")});
  json::locate_all(found, in.root());
  CHECK(found[0].offset == static_cast<int>(text.find("\"a\"")));
  CHECK(found[1].offset == 3);
}

TEST_CASE("the first finding is the first in the text, and warnings count if they are asked for") {
  CHECK(json::first_in_text(findings{}, strictness::warnings) == nullptr);
  const findings late = three_at(9, 2, 5);
  CHECK(json::first_in_text(late, strictness::errors)->text.view() == "third");
  CHECK(json::first_in_text(late, strictness::warnings)->text.view() == "second");
  // Of two at one place, the one that was found first.
  const findings tied = three_at(4, 4, 4);
  CHECK(json::first_in_text(tied, strictness::warnings)->text.view() == "first");
  findings warning;
  warning.add(rule::unknown_key, severity::warning, {}, 0, {word("w")});
  CHECK(json::first_in_text(warning, strictness::errors) == nullptr);
}

TEST_CASE("a finding is printed as compilers print theirs") {
  finding f{.rule = rule::scale_not_positive, .place = {.field = "input_dtype", .part = "scale"}};
  f.text.append("0 is not a scale");
  f.offset = 5;
  std::string out;
  json::append_located(out, "npu.json", "{\n  7", f);
  CHECK(out == "npu.json:2:4: error: input_dtype.scale: 0 is not a scale [scale-not-positive]");
  out.clear();
  f.severity = severity::warning;
  f.offset = 999;  // past the end is the end
  json::append_located(out, "f", "\n", f);
  CHECK(out.starts_with("f:2:1: warning: "));
}

}  // namespace
