// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/position.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ctq::json;

namespace {

constexpr position at(std::string_view text, std::size_t offset) {
  return position_at(text.data(), text.size(), offset);
}

static_assert(at("", 0) == position{1, 1});
static_assert(at("abc", 0) == position{1, 1} && at("abc", 2) == position{1, 3});
static_assert(at("abc", 3) == position{1, 4});      // behind the last
static_assert(at("a\nbc\n", 1) == position{1, 2});  // the newline ends its line
static_assert(at("a\nbc\n", 2) == position{2, 1} && at("a\nbc\n", 4) == position{2, 3});
static_assert(at("a\nbc\n", 5) == position{3, 1});
static_assert(at("a\r\nb", 3) == position{2, 1});
static_assert(at("\xC3\xA9x", 2) == position{1, 3});  // bytes
static_assert(at("ab", 7) == position{1, 3});         // past the end is the end

static_assert([] {
  ctq::static_text<32> t;
  append_position(t, "npu.json", {12, 7});
  return t.view() == "npu.json:12:7";
}());

TEST_CASE("lines and columns begin with one") {
  std::string text, out;
  for (int line = 0; line < 1000; ++line)
    text += std::string(static_cast<std::size_t>(line), ' ') + "\n";
  CHECK(at(text, 0) == position{1, 1});
  CHECK(at(text, text.size() - 1) == position{1000, 1000});
  CHECK(at(text, text.size()) == position{1001, 1});
  append_position(out, "a b.json", at(text, 4));
  CHECK(out == "a b.json:3:2");
}

}  // namespace
