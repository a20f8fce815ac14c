// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/safetensors_header.hpp"

#include <doctest/doctest.h>

namespace {

using namespace std::string_literals;

/// A header with one tensor of this name, as JSON writes it.
std::string named(const std::string& name) {
  return "{\"" + name + R"(":{"dtype":"U8","shape":[],"data_offsets":[0,1]}})";
}

/// A header with a tensor t of these members.
std::string entry(const std::string& members) { return "{\"t\":{" + members + "}}"; }

std::string name_in(const std::string& text) {
  const auto header = ctq::scan_header(text, "f");
  return header ? header->entries.at(0).name : "error: " + header.error().message();
}

TEST_CASE("a header gives its tensors in its order, and its metadata") {
  const auto header = ctq::scan_header(
      R"({ "b" : {"data_offsets": [ 4 , 16 ], "shape": [3, 1], "dtype": "F32"},
           "__metadata__": {"format":"pt", "empty":""},
           "a":{"dtype":"I8","shape":[],"data_offsets":[0,9223372036854775807]}}   )",
      "f");
  REQUIRE(header);
  REQUIRE(header->entries.size() == 2);
  const ctq::header_entry& b = header->entries[0];
  CHECK(b.name == "b");
  CHECK(b.dtype == ctq::stored_dtype::f32);
  CHECK(b.shape == std::vector<std::int64_t>{3, 1});
  CHECK(b.begin == 4);
  CHECK(b.end == 16);
  CHECK(header->entries[1].shape.empty());
  CHECK(header->entries[1].end == INT64_MAX);
  CHECK(header->metadata == ctq::metadata_map{{"empty", ""}, {"format", "pt"}});
}

TEST_CASE("a header may hold nothing") {
  CHECK(ctq::scan_header("{}", "f"));
  CHECK(ctq::scan_header("{ \n}    ", "f"));
  CHECK(ctq::scan_header(R"({"__metadata__":{}})", "f"));
}

TEST_CASE("escapes in a name are read") {
  CHECK(name_in(named(R"(\"\\\/\b\f\n\r\t)")) == "\"\\/\b\f\n\r\t");
  CHECK(name_in(named(R"(\u0041\u00e9\u20AC\u0000z)")) == "A\xC3\xA9\xE2\x82\xAC\0z"s);
  CHECK(name_in(named(R"(\ud83d\ude00\uDBFF\uDFFF)")) == "\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF");
  CHECK(name_in(named("caf\xC3\xA9 \xF0\x9F\x98\x80")) == "caf\xC3\xA9 \xF0\x9F\x98\x80");
  CHECK(name_in(named("")).empty());
}

struct rejected_header {
  std::string text;
  std::string message;
};

TEST_CASE("every other header is rejected with its place") {
  const std::string whole = R"("dtype":"F32","shape":[],"data_offsets":[0,4])";
  const rejected_header cases[] = {
      // Not the object that is wanted.
      {"", "f: header byte 0: expected '{', found the end of the header"},
      {"PK\3\4", "f: header byte 0: expected '{', found 'P'"},
      {" {}", "f: header byte 0: expected '{', found byte value 32"},
      {"[]", "f: header byte 0: expected '{', found '['"},
      {"null", "f: header byte 0: expected '{', found 'n'"},
      {"{", "f: header byte 1: expected a string, found the end of the header"},
      {"{,}", "f: header byte 1: expected a string, found ','"},
      {"{\"t\"", "f: header byte 4: expected ':', found the end of the header"},
      {"{\"t\":", "f: tensor t, header byte 5: expected '{', found the end of the header"},
      {"{\"t\" 1", "f: header byte 5: expected ':', found '1'"},
      {"{\"t\":null}", "f: tensor t, header byte 5: expected '{', found 'n'"},
      {"{t:1}", "f: header byte 1: expected a string, found 't'"},
      {named("t").substr(0, 51), "f: header byte 51: expected ',' or '}', found the end of the"},
      {"{\"t\":{" + whole + "},}", "f: header byte 53: expected a string, found '}'"},
      {"{\"t\":{" + whole + "} \"u\"", "f: header byte 53: expected ',' or '}', found '\"'"},
      {"{}x", "f: header byte 2: expected only spaces after the object, found 'x'"},
      {"{}  {}", "f: header byte 4: expected only spaces after the object, found '{'"},
      {"{}\n", "f: header byte 2: expected only spaces after the object, found byte value 10"},
      {"{}\0"s, "f: header byte 2: expected only spaces after the object, found byte value 0"},
      {"\xEF\xBB\xBF{}", "f: header byte 0: expected '{', found byte value 239"},
      {"{/**/}", "f: header byte 1: expected a string, found '/'"},

      // Nested deeper than the format goes.
      {std::string(100'000, '['), "f: header byte 0: expected '{', found '['"},
      {"{\"t\":" + std::string(100'000, '['),
       "f: tensor t, header byte 5: expected '{', found '['"},
      {entry("\"shape\":" + std::string(100'000, '[')),
       "f: tensor t, header byte 15: expected a whole number, found '['"},
      {entry("\"dtype\":{\"dtype\":{"),
       "f: tensor t, header byte 14: expected a string, found '{'"},
      {entry("\"x\":" + std::string(100'000, '{')),
       "f: tensor t, header byte 6: key \"x\" is none of dtype, shape, data_offsets"},

      // Keys.
      {entry(""), "f: tensor t, header byte 6: key \"dtype\" is missing"},
      {entry(R"("dtype":"F32","shape":[])"), "header byte 30: key \"data_offsets\" is missing"},
      {entry(R"("dtype":"F32","data_offsets":[0,4])"), "key \"shape\" is missing"},
      {entry(whole + R"(,"dtype":"F32")"), "header byte 52: duplicate key \"dtype\""},
      {entry(whole + R"(,"sh\u0061pe":[])"), "duplicate key \"shape\""},
      {entry(R"("offsets":[0,4])"), "key \"offsets\" is none of dtype, shape, data_offsets"},
      {R"({"__metadata__":{"k":"v","k":"w"}})", "f: metadata, header byte 25: duplicate key \"k\""},
      {R"({"__metadata__":{},"__metadata__":{}})",
       "f: header byte 19: duplicate key \"__metadata__\""},
      {R"({"__metadata__":{"k":1}})", "f: metadata, header byte 21: expected a string, found '1'"},
      {R"({"__metadata__":{"k":null}})", "expected a string, found 'n'"},
      {R"({"__metadata__":[]})", "f: metadata, header byte 16: expected '{', found '['"},

      // Dtypes.
      {entry(R"("dtype":"F31")"), "f: tensor t, header byte 14: unknown dtype \"F31\""},
      {entry(R"("dtype":"f32")"), "unknown dtype \"f32\""},
      {entry(R"("dtype":"")"), "unknown dtype \"\""},
      {entry(R"("dtype":"\u001b[2J")"), "unknown dtype \"\\x1b[2J\""},
      {entry(R"("dtype":"QQQ)" + std::string(1000, 'Q') + "\""),
       "unknown dtype \"" + std::string(80, 'Q') + "...\""},
      {entry(R"("dtype":32)"), "expected a string, found '3'"},

      // Numbers.
      {entry(R"("shape":[-1])"), "f: tensor t, header byte 15: sizes and offsets are not negative"},
      {entry(R"("shape":[2,-0])"), "header byte 17: sizes and offsets are not negative"},
      {entry(R"("shape":[1.5])"), "sizes and offsets are whole numbers"},
      {entry(R"("shape":[1e3])"), "sizes and offsets are whole numbers"},
      {entry(R"("shape":[1E3])"), "sizes and offsets are whole numbers"},
      {entry(R"("shape":[01])"), "a number does not start with 0"},
      {entry(R"("shape":[00])"), "a number does not start with 0"},
      {entry(R"("shape":[9223372036854775808])"), "the number does not fit into 63 bits"},
      {entry(R"("shape":[18446744073709551617])"), "the number does not fit into 63 bits"},
      {entry("\"shape\":[" + std::string(100'000, '9') + "]"), "does not fit into 63 bits"},
      {entry(R"("shape":["1"])"), "expected a whole number, found '\"'"},
      {entry(R"("shape":[+1])"), "expected a whole number, found '+'"},
      {entry(R"("shape":[.5])"), "expected a whole number, found '.'"},
      {entry(R"("shape":[NaN])"), "expected a whole number, found 'N'"},
      {entry(R"("shape":[1 2])"), "header byte 17: expected ',' or ']', found '2'"},
      {entry(R"("shape":[1,])"), "header byte 17: expected a whole number, found ']'"},
      {entry(R"("shape":4)"), "header byte 14: expected '[', found '4'"},
      {entry(R"("shape":null)"), "expected '[', found 'n'"},
      {entry(R"("data_offsets":[])"), "expected a whole number, found ']'"},
      {entry(R"("data_offsets":[0])"), "expected ',', found ']'"},
      {entry(R"("data_offsets":[0,1,2])"), "expected ']', found ','"},
      {entry(R"("data_offsets":[-4,0])"), "sizes and offsets are not negative"},
      {entry(R"("data_offsets":[0,4.0])"), "sizes and offsets are whole numbers"},
      {entry(R"("data_offsets":[0,9999999999999999999])"), "does not fit into 63 bits"},

      // Strings.
      {"{\"abc", "f: header byte 1: the string has no end"},
      {"{\"abc\\", "f: header byte 5: no such escape"},
      {named("a\nb"), "f: header byte 3: a control character in a string must be escaped"},
      {named("a\0b"s), "a control character in a string must be escaped"},
      {named("\\x41"), "f: header byte 2: no such escape"},
      {named("\\'"), "no such escape"},
      {named("\\u12"), "\\u needs four hexadecimal digits"},
      {named("\\u12G4"), "\\u needs four hexadecimal digits"},
      {"{\"\\u123", "\\u needs four hexadecimal digits"},
      {named("\\ud83d"), "f: header byte 2: a surrogate without its other half"},
      {named("\\ud83dx"), "a surrogate without its other half"},
      {named("\\ud83d\\n"), "a surrogate without its other half"},
      {named("\\ud83d\\u0041"), "a surrogate without its other half"},
      {named("\\ud83d\\ud83d"), "a surrogate without its other half"},
      {named("\\ude00"), "a surrogate without its other half"},
      {named("\\ude00\\ud83d"), "a surrogate without its other half"},
      {"{\"\\ud83d\\", "a surrogate without its other half"},
      {"{\"\\ud83d\\u1", "a surrogate without its other half"},
      {named("a\xFF"), "f: header byte 3: the string is not UTF-8"},
      {named("\xC3"), "the string is not UTF-8"},
      {named("\xC0\x80"), "the string is not UTF-8"},
      {named("\xED\xA0\x80"), "the string is not UTF-8"},
      {named("\xF4\x90\x80\x80"), "the string is not UTF-8"},
  };
  for (const auto& [text, message] : cases) {
    CAPTURE(text.substr(0, 100));
    const auto header = ctq::scan_header(text, "f");
    REQUIRE(!header);
    const std::string said = header.error().message();
    CAPTURE(said);
    CHECK(said.find(message) != said.npos);
    CHECK(said.size() < 200);
  }
}

}  // namespace
