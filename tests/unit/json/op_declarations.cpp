// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/op_declarations.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "../user_ops.hpp"
#include "parsed.hpp"

using namespace ctq;

namespace {

constexpr list<op_info> declared(std::string_view text, findings& found,
                                 const op_table& table = ops<builtin>::value) {
  const json::parsed in{text};
  return json::op_declarations{in.root(), table, found}.declared;
}

std::string wrong(std::string_view text, const op_table& table = ops<builtin>::value) {
  findings found;
  static_cast<void>(declared(text, found, table));
  return json::printed(found, text);
}

static_assert([] {
  findings found;
  const list<op_info> read = declared(
      R"({"ops": ["a.f", {"name": "a.M", "kind": "module"}, {"kind": "method", "name": "m"},
                  {"name": "a.g", "kind": "function"}, {"name": "a.h"}]})",
      found);
  return found.size() == 0 && read.size() == 5 && read[0].kind == op_kind::function &&
         read[0].name == "a.f" && read[1].kind == op_kind::module && read[1].name == "a.M" &&
         read[2].kind == op_kind::method && read[2].name == "m" &&
         read[3].kind == op_kind::function && read[4].kind == op_kind::function &&
         read[4].descriptor == &no_description;
}());

TEST_CASE("a file need not declare ops") {
  findings found;
  CHECK(declared("{}", found).empty());
  CHECK(declared(R"({"ops": []})", found).empty());
  // That the root is no object is said where the backend is read.
  CHECK(declared(R"(["ops"])", found).empty());
  CHECK(found.size() == 0);
}

TEST_CASE("what is not a declaration is a finding, and the others are kept") {
  findings found;
  constexpr std::string_view text = R"({"ops": [7, "", {"name": null}, {}, "a.b"]})";
  const list<op_info> read = declared(text, found);
  CHECK(json::printed(found, text) ==
        "f:1:10: error: expected an object, not a number [wrong-type]\n"
        "f:1:13: error: expected a name that is not empty [wrong-type]\n"
        "f:1:26: error: expected a string, not null [wrong-type]\n"
        "f:1:33: error: name is missing [missing-key]\n");
  REQUIRE(read.size() == 1);
  CHECK(read[0].name == "a.b");
  CHECK(wrong(R"({"ops": {"name": "a.b"}})") ==
        "f:1:9: error: expected an array, not an object [wrong-type]\n");
  CHECK(wrong(R"({"ops": null})") == "f:1:9: error: expected an array, not null [wrong-type]\n");
}

TEST_CASE("a name is its characters, whatever its escapes") {
  findings found;
  const json::parsed in{R"({"ops": ["a\u0062", "\"q\"", {"name": "a\u002eb", "kind": "module"}]})"};
  const json::op_declarations read{in.root(), ops<builtin>::value, found};
  CHECK(found.size() == 0);
  REQUIRE(read.declared.size() == 3);
  CHECK(read.declared[0].name == "ab");
  CHECK(read.declared[1].name == "\"q\"");
  CHECK(read.declared[2].name == "a.b");
  CHECK(wrong(R"({"ops": ["a.b", "a\u002eb"]})") ==
        "f:1:17: error: a\\u002eb is already declared [duplicate-op]\n");
}

TEST_CASE("a kind is one of three, and there are no other keys") {
  CHECK(wrong(R"({"ops": [{"name": "a.b", "kind": "placeholder"}]})") ==
        "f:1:34: error: expected module, function or method [unknown-value]\n");
  CHECK(wrong(R"({"ops": [{"name": "a.b", "kind": null}]})") ==
        "f:1:34: error: expected module, function or method [unknown-value]\n");
  CHECK(wrong(R"({"ops": [{"name": "a.b", "type": "module"}]})") ==
        "f:1:26: error: type is not a known key here: name, kind [unknown-key]\n");
}

TEST_CASE("a name of ctq's is taken, in any spelling") {
  for (const std::string_view name : {"torch.nn.ReLU", "nn.ReLU", "F.relu", "operator.add"}) {
    const std::string text = "{\"ops\": [\"" + std::string{name} + "\"]}";
    CHECK(wrong(text) ==
          "f:1:10: error: " + std::string{name} + " is an op of ctq [duplicate-op]\n");
  }
}

TEST_CASE("what matches anything is not an op") {
  CHECK(wrong(R"({"ops": ["MatchAllNode"]})") ==
        "f:1:10: error: MatchAllNode matches anything, it is not a known op [duplicate-op]\n");
}

TEST_CASE("a name that is declared twice is a finding at the second place") {
  CHECK(wrong(R"({"ops": ["a.b", {"name": "a.b", "kind": "module"}]})") ==
        "f:1:26: error: a.b is already declared [duplicate-op]\n");
  CHECK(wrong(R"({"ops": ["a.b", "a.B", "b"]})").empty());
}

TEST_CASE("an op that the table has of the user is not declared again") {
  findings found;
  constexpr std::string_view text = R"({"ops": ["own.swish", "own.other"]})";
  const list<op_info> read = declared(text, found, ops<builtin, own::swish>::value);
  CHECK(found.size() == 0);
  REQUIRE(read.size() == 1);
  CHECK(read[0].name == "own.other");
}

TEST_CASE("more ops than the limit are rejected as a whole") {
  std::string names;
  for (int i = 0; i < 1024; ++i) names += (i == 0 ? "\"a" : ", \"a") + std::to_string(i) + '"';
  findings found;
  const std::string most = R"({"ops": [)" + names + "]}";
  CHECK(declared(most, found).size() == json::max_declared_ops);
  CHECK(found.size() == 0);
  const std::string more = R"({"ops": [)" + names + R"(, "a"]})";
  CHECK(declared(more, found).empty());
  CHECK(json::printed(found, more) == "f:1:9: error: more than 1024 declared ops [too-many]\n");
}

}  // namespace
