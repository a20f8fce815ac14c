// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/spec_file.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "parsed.hpp"

using namespace ctq;

namespace {

/// The least that a file can be: its root.
struct plain_file : json::spec_file {
  explicit plain_file(std::string_view text) : spec_file(text) {}
  using spec_file::root;
};

// Views point into it, so it is not copied.
static_assert(std::is_nothrow_move_constructible_v<plain_file>);
static_assert(!std::is_copy_constructible_v<plain_file> && !std::is_copy_assignable_v<plain_file>);
// It is a part of other files, none of its own.
static_assert(!std::is_constructible_v<json::spec_file, std::string_view>);
static_assert(!std::is_destructible_v<json::spec_file>);

std::string wrong(std::string_view text) {
  const plain_file file{text};
  CHECK_FALSE(file.valid());
  return json::printed(file.found(), file.text());
}

TEST_CASE("a file keeps the text it is given") {
  std::string text = R"({"name": "npu"})";
  const plain_file file{text};
  text.assign(text.size(), '?');
  REQUIRE(file.valid());
  CHECK(file.found().size() == 0);
  CHECK(file.text() == R"({"name": "npu"})");
  CHECK(file.root().find("name").text() == "npu");
}

TEST_CASE("moving a file moves no byte of its text and no value") {
  plain_file file{R"([1, "two"])"};
  const char* const text = file.text().data();
  const json::element second = file.root().first().next();
  plain_file moved = std::move(file);
  CHECK(moved.text().data() == text);
  CHECK(second.text() == "two");
  CHECK(moved.root().first().next().text().data() == second.text().data());
  plain_file assigned{"null"};
  assigned = std::move(moved);
  CHECK(assigned.text().data() == text);
  CHECK(second.text() == "two");
}

TEST_CASE("a text that is no JSON has one finding, at its place") {
  CHECK(wrong("") == "f:1:1: error: expected a value [json-syntax]\n");
  CHECK(wrong(std::string_view{}) == "f:1:1: error: expected a value [json-syntax]\n");
  CHECK(wrong("[1,\n 2,]") == "f:2:4: error: expected a value [json-syntax]\n");
  CHECK(wrong("[\"\xFF\"]") == "f:1:3: error: not UTF-8 [json-utf8]\n");
  CHECK(wrong(std::string(65, '[')) == "f:1:65: error: more than 64 open brackets [json-depth]\n");
  CHECK(wrong(std::string_view{"1\0", 2}) ==
        "f:1:2: error: expected the end of the text [json-syntax]\n");
}

TEST_CASE("the largest text is read, one byte more is rejected and not kept") {
  std::string text(json::max_text, ' ');
  text.back() = '7';
  const plain_file largest{text};
  REQUIRE(largest.valid());
  CHECK(largest.root().number() == 7);
  text += ' ';
  const plain_file larger{text};
  CHECK(larger.text().empty());
  CHECK(json::printed(larger.found(), larger.text()) ==
        "f:1:1: error: more than 4 MiB of text [too-many]\n");
}

}  // namespace
