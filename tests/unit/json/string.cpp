// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/string.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/core/text.hpp"

using namespace ctq::json;
using namespace std::string_view_literals;

namespace {

constexpr int length(std::string_view s) { return utf8_length(s.data(), s.data() + s.size()); }

static_assert(length("a") == 1 && length("\0"sv) == 1 && length("\x7F") == 1);
static_assert(length("\xC2\x80") == 2 && length("\xDF\xBFz") == 2);
static_assert(length("\xE0\xA0\x80") == 3 && length("\xED\x9F\xBF") == 3);
static_assert(length("\xEE\x80\x80") == 3 && length("\xEF\xBF\xBF") == 3);
static_assert(length("\xF0\x90\x80\x80") == 4 && length("\xF4\x8F\xBF\xBF") == 4);
static_assert(length("\x80") == 0 && length("\xFF") == 0);      // no lead
static_assert(length("\xC3") == 0 && length("\xE2\x82") == 0);  // cut off
static_assert(length("\xC3\xA9"sv.substr(0, 1)) == 0 && length("\xE2\x82\xAC"sv.substr(0, 2)) == 0);
static_assert(length("\xC3z") == 0 && length("\xF0\x90\x80z") == 0);            // cut off
static_assert(length("\xC0\x80") == 0 && length("\xC1\xBF") == 0);              // too long
static_assert(length("\xE0\x9F\xBF") == 0 && length("\xF0\x8F\xBF\xBF") == 0);  // too long
static_assert(length("\xED\xA0\x80") == 0 && length("\xED\xBF\xBF") == 0);      // surrogates
static_assert(length("\xF4\x90\x80\x80") == 0 && length("\xF5\x80\x80\x80") == 0);

template <std::size_t N = 64>
constexpr auto escaped(std::string_view s) {
  ctq::static_text<N> t;
  append_string(t, s);
  return t;
}

constexpr bool means(std::string_view raw, std::string_view text) {
  expected_text expected{text};
  append_unescaped(expected, raw);
  return expected.met();
}

static_assert(escaped("torch.nn.Conv2d").view() == "\"torch.nn.Conv2d\"");
static_assert(escaped("").view() == "\"\"");
static_assert(escaped("a\"\\/\b\f\n\r\t\v\0\x1F\x7F\xC3\xA9"sv).view() ==
              "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u000b\\u0000\\u001f\x7F\xC3\xA9\"");

static_assert(means("plain", "plain") && !means("plain", "plai") && !means("plai", "plain"));
static_assert(means("", "") && !means("", "a") && !means("a", ""));
static_assert(means(R"(\"\\\/\b\f\n\r\t)", "\"\\/\b\f\n\r\t"));
static_assert(means(R"(caf\u00e9 \u00E9 \u20ac!)", "caf\xC3\xA9 \xC3\xA9 \xE2\x82\xAC!"));
static_assert(means(R"(\u0000x)", "\0x"sv));
static_assert(means(R"(\ud83d\ude00)", "\xF0\x9F\x98\x80"));
static_assert(means(R"(\udbff\udfff)", "\xF4\x8F\xBF\xBF"));
static_assert(means(R"(\ud83d)", "\xEF\xBF\xBD"));  // half a pair
static_assert(means(R"(\ude00\ud83dx)", "\xEF\xBF\xBD\xEF\xBF\xBDx"));
static_assert(means(R"(\ud83d\u0041)",
                    "\xEF\xBF\xBD"
                    "A"));
static_assert(means(R"(\ud83d\n)", "\xEF\xBF\xBD\n"));

static_assert(is_utf8("") && is_utf8("caf\xC3\xA9") && !is_utf8("caf\xC3"));

TEST_CASE("every code point is written as UTF-8 that is valid") {
  std::string before;
  for (std::uint32_t c = 0; c < 0x110000; ++c) {
    if (c == 0xD800) c = 0xE000;
    std::string text;
    append_utf8(text, c);
    if (length(text) != static_cast<int>(text.size()) || (c != 0 && text <= before)) FAIL_CHECK(c);
    before = text;
  }
}

TEST_CASE("what is escaped means itself") {
  std::string all;
  for (int c = 0; c < 0x80; ++c) all += static_cast<char>(c);
  all += "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  std::string quoted, back;
  append_string(quoted, all);
  append_unescaped(back, std::string_view{quoted}.substr(1, quoted.size() - 2));
  CHECK(back == all);
}

}  // namespace
