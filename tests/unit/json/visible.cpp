// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/visible.hpp"

#include <doctest/doctest.h>

#include <string>

using ctq::json::first_shown;
using ctq::json::is_invisible;

static_assert(first_shown("a\n").bytes == 1 && first_shown("a\n").escape().empty());
static_assert(first_shown("\n").escape() == "\\n");
static_assert(!is_invisible(0xE9) && is_invisible(0x202E));

namespace {

std::string visible(std::string_view text) {
  std::string out;
  ctq::json::append_visible(out, text);
  return out;
}

}  // namespace

TEST_CASE("text that only shows letters stays as it is") {
  for (const char* const text :
       {"fc.weight", "a \\n b", "caf\xC3\xA9", "\xE6\xBC\xA2", "\xF0\x9F\x98\x80"})
    CHECK(visible(text) == text);
}

TEST_CASE("what acts on a terminal is shown as an escape") {
  CHECK(visible("\x1b[31m\n\r\t") == R"(\x1b[31m\n\r\t)");
  CHECK(visible(std::string_view{"a\0b", 3}) == R"(a\x00b)");
  CHECK(visible("\x7f\xC2\x9B\xC2\xA0") == "\\x7f\\u009b\xC2\xA0");
  CHECK(visible("\xE2\x80\xAE\xE2\x81\xA6\xEF\xBB\xBF\xD8\x9C") == R"(\u202e\u2066\ufeff\u061c)");
}

TEST_CASE("a byte that is not UTF-8 is shown by its number") {
  CHECK(visible("\xff\xC3") == R"(\xff\xc3)");
  CHECK(visible("\xE2\x80") == R"(\xe2\x80)");
}
