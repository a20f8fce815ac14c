// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/json_string.hpp"

#include <doctest/doctest.h>

namespace {

using namespace std::string_view_literals;

static_assert(ctq::utf8_length("") == 0);
static_assert(ctq::utf8_length("a") == 1 && ctq::utf8_length("\0"sv) == 1);
static_assert(ctq::utf8_length("\xC3\xA9") == 2);                                // é
static_assert(ctq::utf8_length("\xE2\x82\xAC") == 3);                            // €
static_assert(ctq::utf8_length("\xF0\x9F\x98\x80") == 4);                        // U+1F600
static_assert(ctq::utf8_length("\x80") == 0);                                    // no lead
static_assert(ctq::utf8_length("\xC3") == 0 && ctq::utf8_length("\xC3z") == 0);  // cut off
static_assert(ctq::utf8_length("\xC0\x80") == 0);                                // too long
static_assert(ctq::utf8_length("\xE0\x80\x80") == 0);                            // too long
static_assert(ctq::utf8_length("\xF0\x80\x80\x80") == 0);                        // too long
static_assert(ctq::utf8_length("\xED\xA0\x80") == 0);                            // a surrogate
static_assert(ctq::utf8_length("\xF4\x90\x80\x80") == 0);                        // past U+10FFFF
static_assert(ctq::utf8_length("\xFF") == 0);
static_assert(ctq::is_utf8("caf\xC3\xA9") && !ctq::is_utf8("caf\xC3"));

TEST_CASE("every code point is written as valid UTF-8 and in order") {
  std::string before;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c == 0xD800) c = 0xE000;
    std::string text;
    ctq::append_utf8(text, c);
    if (ctq::utf8_length(text) != text.size() || (c != 0 && text <= before)) FAIL_CHECK(c);
    before = text;
  }
}

TEST_CASE("a JSON string escapes what JSON does not allow, and no more") {
  std::string out;
  ctq::append_json_string(out, "a\"\\/\b\f\n\r\t\0\x1F\x7F\xC3\xA9"sv);
  CHECK(out == R"("a\"\\/\b\f\n\r\t\u0000\u001f)"
               "\x7F\xC3\xA9\"");
}

}  // namespace
