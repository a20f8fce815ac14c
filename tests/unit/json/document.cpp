// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/document.hpp"
#include "ctq/json/constant_document.hpp"

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>

using namespace ctq::json;
using namespace std::string_view_literals;

namespace {

struct file {
  std::string_view text;
};

constexpr syntax_error error_of(std::string_view s) { return parse(s.data(), s.size()).error; }

constexpr bool refused(std::string_view s, std::uint32_t at, std::string_view what) {
  const syntax_error e = error_of(s);
  return e.rule == "json-syntax" && e.at == at && e.what == what;
}

static_assert(!error_of("{}").any() && !error_of(" [1, -2.5e3, \"x\", null]\n").any());
static_assert(refused("", 0, "expected a value"));
static_assert(refused("[1 2]", 3, "expected , or ]"));
static_assert(refused(R"({"a": 1 "b": 2})", 8, "expected , or }"));
static_assert(refused("\xEF\xBB\xBF{}", 0, "starts with a byte order mark"));
static_assert(error_of("\"\xC0\x80\"").rule == "json-utf8");

// The same errors in a constant of its own.
inline constexpr file broken{R"({"a": [1, 2}})"};
static_assert(tape_v<broken>.error.at == 11 && tape_v<broken>.error.what == "expected , or ]");

inline constexpr file nested{R"( {"a": [1, {"b": "c"}], "d": []} )"};
static_assert(value_count_v<nested> == 9);
static_assert([] {
  constexpr auto& v = tape_v<nested>.values;
  // 0 object, 1 key a, 2 array, 3 number, 4 object, 5 key b, 6 string c, 7 key d, 8 array
  return v[0].type == kind::object && v[0].count == 2 && v[0].next == 9 && v[0].begin == 1 &&
         v[0].end == 32 && v[1].type == kind::string && v[1].next == 2 && v[1].begin == 3 &&
         v[1].end == 4 && v[2].type == kind::array && v[2].count == 2 && v[2].next == 7;
}());

// A spec of 190 entries and more than 80 KB is read within the compilers' default limits.
constexpr std::string_view entry =
    R"({"pattern": ["torch.nn.modules.conv.Conv2d", "torch.nn.modules.activation.ReLU"], )"
    R"("observation_type": "OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT", "dtype_configs": [)"
    R"({"input_dtype": {"dtype": "torch.quint8", "quant_max_upper_bound": 127, )"
    R"("scale_min_lower_bound": 0.000244140625}, "output_dtype": {"dtype": "torch.quint8"}, )"
    R"("weight_dtype": {"dtype": "torch.qint8", "scale_min_lower_bound": 1.1920928955078125e-07}, )"
    R"("bias_dtype": "torch.float32", "is_dynamic": false}]},)";
constexpr int entries = 190;

constexpr auto write_large() {
  std::array<char, entry.size() * entries + 1> text{};
  char* out = text.data();
  *out++ = '[';
  for (int i = 0; i < entries; ++i)
    for (const char* p = entry.data(); p != entry.data() + entry.size();) *out++ = *p++;
  out[-1] = ']';
  return text;
}
inline constexpr auto large_text = write_large();
inline constexpr file large{{large_text.data(), large_text.size()}};
static_assert(large_text.size() > 80'000);
static_assert(!tape_v<large>.error.any() && tape_v<large>.values[0].count == entries);
static_assert(tape_v<large>.values[0].next == value_count_v<large>);

TEST_CASE("what RFC 8259 allows is accepted") {
  const std::string_view texts[] = {"null",
                                    "true",
                                    "false",
                                    "0",
                                    "-0",
                                    "\"\"",
                                    "[]",
                                    "{}",
                                    " \t\r\n1 \t\r\n",
                                    "[ ]",
                                    "{ }",
                                    "1.5",
                                    "0.5",
                                    "-0.5",
                                    "1e5",
                                    "1E5",
                                    "1e+5",
                                    "1e-05",
                                    "1.25E+007",
                                    "0e1",
                                    "0.0",
                                    "-1",
                                    "123456789012345678901234567890",
                                    "1e400",
                                    "1e-400",
                                    "[1]",
                                    "[1,2]",
                                    "[ 1 , 2 ]",
                                    "[[],[]]",
                                    "[[[[]]]]",
                                    "{\"a\":1}",
                                    "{ \"a\" : 1 , \"b\" : 2 }",
                                    "{\"\":0}",
                                    "{\"a\":{\"b\":{}}}",
                                    "{\"a\":1,\"a\":2}",
                                    "[null,true,false]",
                                    R"("\"\\\/\b\f\n\r\t")",
                                    R"("\u0000\uFFFF\uabCD")",
                                    R"("\ud83d\ude00")",
                                    R"("\ud83d")",
                                    R"("\udead\ud83d")",
                                    R"("\\u1")",
                                    R"("\\\\")",
                                    "\"\x7F\"",
                                    "\"/\"",
                                    "\"\xC2\x80\"",
                                    "\"\xDF\xBF\"",
                                    "\"\xE0\xA0\x80\"",
                                    "\"\xED\x9F\xBF\"",
                                    "\"\xEE\x80\x80\"",
                                    "\"\xEF\xBB\xBF\"",
                                    "\"\xEF\xBF\xBF\"",
                                    "\"\xF0\x90\x80\x80\"",
                                    "\"\xF4\x8F\xBF\xBF\"",
                                    "\"[{,:]}\"",
                                    "{\"[\":\"]\"}",
                                    "[\"a\",{\"b\":[]},-1.5e-3]"};
  for (const auto t : texts) {
    CAPTURE(t);
    const document d = parse(t.data(), t.size());
    CHECK_FALSE(d.error.any());
    CHECK(d.values.size() == d.values[0].next);  // counted exactly
  }
}

TEST_CASE("what RFC 8259 does not allow is rejected where Python's json rejects it") {
  const struct {
    std::string_view text;
    std::uint32_t at;
    std::string_view what;
  } cases[] = {
      // no text, or more than one
      {"", 0, "expected a value"},
      {"  ", 2, "expected a value"},
      {"1 2", 2, "expected the end of the text"},
      {"{}x", 2, "expected the end of the text"},
      {"[]]", 2, "expected the end of the text"},
      {"null\0"sv, 4, "expected the end of the text"},
      {"\0"sv, 0, "expected a value"},
      {"nullx", 4, "expected the end of the text"},
      {"\v1", 0, "expected a value"},
      {"1\f", 1, "expected the end of the text"},
      {"\xC2\xA0", 0, "expected a value"},
      {"\xEF\xBB\xBF", 0, "starts with a byte order mark"},
      {"\xEF\xBB[]", 0, "expected a value"},
      // arrays
      {"[", 1, "expected a value"},
      {"[ ", 2, "expected a value"},
      {"[1", 2, "expected , or ]"},
      {"[1,", 3, "expected a value"},
      {"[1,]", 3, "expected a value"},
      {"[,1]", 1, "expected a value"},
      {"[1,,2]", 3, "expected a value"},
      {"[1 2]", 3, "expected , or ]"},
      {"[1}", 2, "expected , or ]"},
      {"[\"a\":1]", 4, "expected , or ]"},
      {"[}", 1, "expected a value"},
      {"]", 0, "expected a value"},
      {"[1\n,2\n", 6, "expected , or ]"},
      // objects
      {"{", 1, "expected a key in quotes"},
      {"{]", 1, "expected a key in quotes"},
      {"{a:1}", 1, "expected a key in quotes"},
      {"{'a':1}", 1, "expected a key in quotes"},
      {"{1:1}", 1, "expected a key in quotes"},
      {"{null:1}", 1, "expected a key in quotes"},
      {"{,}", 1, "expected a key in quotes"},
      {"{\"a\"}", 4, "expected :"},
      {"{\"a\"", 4, "expected :"},
      {"{\"a\" 1}", 5, "expected :"},
      {"{\"a\",1}", 4, "expected :"},
      {"{\"a\":}", 5, "expected a value"},
      {"{\"a\":", 5, "expected a value"},
      {"{\"a\"::1}", 5, "expected a value"},
      {"{\"a\":1", 6, "expected , or }"},
      {"{\"a\":1]", 6, "expected , or }"},
      {"{\"a\":1 \"b\":2}", 7, "expected , or }"},
      {"{\"a\":1,}", 7, "expected a key in quotes"},
      {"{\"a\":1,,}", 7, "expected a key in quotes"},
      {"{\"a\":1,2}", 7, "expected a key in quotes"},
      // words, and what other languages have
      {"nul", 0, "expected a value"},
      {"True", 0, "expected a value"},
      {"[fals]", 1, "expected a value"},
      {"NaN", 0, "expected a value"},
      {"Infinity", 0, "expected a value"},
      {"-Infinity", 0, "expected a digit after -"},
      {"undefined", 0, "expected a value"},
      {"// x\n1", 0, "expected a value"},
      {"[1, /* */ 2]", 4, "expected a value"},
      {"[1] # x", 4, "expected the end of the text"},
      {"'a'", 0, "expected a value"},
      // numbers
      {"-", 0, "expected a digit after -"},
      {"--1", 0, "expected a digit after -"},
      {"- 1", 0, "expected a digit after -"},
      {"+1", 0, "expected a value"},
      {".5", 0, "expected a value"},
      {"-.5", 0, "expected a digit after -"},
      {"1.", 1, "expected a digit after ."},
      {"[1.]", 2, "expected a digit after ."},
      {"1.e5", 1, "expected a digit after ."},
      {"1e", 1, "expected a digit after e"},
      {"1e+", 1, "expected a digit after e"},
      {"1.5E-x", 3, "expected a digit after e"},
      {"1e5.5", 3, "expected the end of the text"},
      {"01", 1, "leading zero in a number"},
      {"[-012]", 3, "leading zero in a number"},
      {"00", 1, "leading zero in a number"},
      {"0x1F", 1, "expected the end of the text"},
      {"1_000", 1, "expected the end of the text"},
      {"1.2.3", 3, "expected the end of the text"},
      {"1 000", 2, "expected the end of the text"},
      {"\xEF\xBC\x91", 0, "expected a value"},  // a full-width 1
      // strings
      {"\"", 0, "unterminated string"},
      {"[\"a", 1, "unterminated string"},
      {"\"a\\", 0, "unterminated string"},
      {"\"a\\\"", 0, "unterminated string"},
      {"{\"a\":\"b}", 5, "unterminated string"},
      {"\"\\u1234", 0, "unterminated string"},  // as Python's scanner in Python; that in C differs
      {"\"a\nb\"", 2, "a control character in a string"},
      {"\"\t\"", 1, "a control character in a string"},
      {"\"\0\""sv, 1, "a control character in a string"},
      {"\"\x1F\"", 1, "a control character in a string"},
      {"\"a\\x41\"", 2, "not a JSON escape"},
      {"\"\\'\"", 1, "not a JSON escape"},
      {"\"\\U00000041\"", 1, "not a JSON escape"},
      {"\"\\\n\"", 1, "not a JSON escape"},
      {"\"\\\0\""sv, 1, "not a JSON escape"},
      {"\"\\u\"", 2, "expected 4 hex digits after u"},
      {"\"\\u12\"", 2, "expected 4 hex digits after u"},
      {"\"\\u123", 2, "expected 4 hex digits after u"},
      {"\"\\u12g4\"", 2, "expected 4 hex digits after u"},
      {"\"\\u+123\"", 2, "expected 4 hex digits after u"},
      {"\"a\" \"b\"", 4, "expected the end of the text"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    // Without a NUL or anything else behind it, so that a sanitizer sees a read too far.
    const std::unique_ptr<char[]> exact(new char[c.text.size()]);
    c.text.copy(exact.get(), c.text.size());
    const syntax_error e = parse(exact.get(), c.text.size()).error;
    CHECK(e.rule == "json-syntax");
    CHECK(e.at == c.at);
    CHECK(e.what == c.what);
  }
}

TEST_CASE("strings are UTF-8, and an error points at the character that is not") {
  const std::string_view bad[] = {"\x80",
                                  "\xBF",
                                  "\xFF",
                                  "\xFE",
                                  "\xC3",
                                  "\xC3z",
                                  "\xE2\x82",
                                  "\xE2\x82z",
                                  "\xF0\x9F\x98",
                                  "\xC0\x80",
                                  "\xC1\xBF",
                                  "\xE0\x80\x80",
                                  "\xE0\x9F\xBF",
                                  "\xF0\x80\x80\x80",
                                  "\xF0\x8F\xBF\xBF",
                                  "\xED\xA0\x80",
                                  "\xED\xBF\xBF",
                                  "\xF4\x90\x80\x80",
                                  "\xF5\x80\x80\x80"};
  for (const auto b : bad) {
    const std::string text = "[\"\xC3\xA9" + std::string(b) + "\"]";
    const syntax_error e = error_of(text);
    CHECK(e.rule == "json-utf8");
    CHECK(e.at == 4);
  }
}

TEST_CASE("64 brackets may be open, not 65, and a million are no trouble") {
  const auto brackets = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
  CHECK_FALSE(error_of(brackets(max_depth)).any());
  const syntax_error e = error_of(brackets(max_depth + 1));
  CHECK(e.rule == "json-depth");
  CHECK(e.what == "more than " + std::to_string(max_depth) + " open brackets");
  CHECK(e.at == max_depth);
  CHECK(error_of(std::string(1'000'000, '[')).at == max_depth);

  std::string objects;
  for (std::size_t i = 0; i < max_depth; ++i) objects += "{\"a\":";
  CHECK(error_of(objects + "{").rule == "json-depth");
  CHECK(error_of(objects + "1").what == "expected , or }");
}

TEST_CASE("every proper prefix of a text is rejected, and none is read past its end") {
  const std::string_view text =
      "{\"a\": [1.5e-3, -0, true, false, null, \"\\u00e9\\n\xF0\x9F\x98\x80\"], \"b\": {\"\": []}}";
  for (std::size_t n = 0; n < text.size(); ++n) {
    const std::unique_ptr<char[]> exact(new char[n]);
    text.copy(exact.get(), n);
    const syntax_error e = parse(exact.get(), n).error;
    CHECK(e.any());
    CHECK(e.at <= n);
  }
  CHECK_FALSE(error_of(text).any());
}

TEST_CASE("a text is read at run time as it is by the compiler") {
  const document d = parse(large.text.data(), large.text.size());
  REQUIRE_FALSE(d.error.any());
  REQUIRE(d.values.size() == tape_v<large>.values.size());
  for (std::size_t i = 0; i < d.values.size(); ++i) {
    const value &a = d.values[i], &b = tape_v<large>.values[i];
    const bool same = a.type == b.type && a.begin == b.begin && a.end == b.end &&
                      a.next == b.next && a.count == b.count && a.number == b.number;
    if (!same) FAIL_CHECK(i);
  }
}

}  // namespace
