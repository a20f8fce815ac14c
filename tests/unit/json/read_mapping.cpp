// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/read_mapping.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "../user_ops.hpp"
#include "parsed.hpp"

using namespace ctq;

namespace {

constexpr json::mapping_reader read(std::string_view text, findings& found,
                                    const op_table& table = ops<builtin>::value) {
  const json::parsed in{text};
  return {in.root(), table, found};
}

std::string wrong(std::string_view text) {
  findings found;
  static_cast<void>(read(text, found));
  return json::printed(found, text);
}

static_assert([] {
  findings found;
  const json::parsed in{R"({"module_name": [["a\u0062", null]], "": null})"};
  const json::mapping_reader m{in.root(), ops<builtin>::value, found};
  return found.size() == 0 && m.entries.size() == 2 && m.entries[0].module == "ab" &&
         m.entries[1].level == mapping_level::global;
}());

TEST_CASE("a mapping is an object of five levels") {
  CHECK(wrong("[]") == "f:1:1: error: expected an object, not an array [wrong-type]\n");
  CHECK(wrong(R"({"$schema": 7, "module_names": []})") ==
        "f:1:16: error: module_names is not a known level of a QConfigMapping, did you mean "
        "module_name? "
        "[unknown-key]\n");
  CHECK(wrong(R"({"object_type": {}, "": []})") ==
        "f:1:17: error: expected an array, not an object [wrong-type]\n"
        "f:1:25: error: expected an object, not an array [wrong-type]\n");
  CHECK(wrong(R"({"": null, "": null})") == "f:1:12: error:  is duplicated [duplicate-key]\n");
}

TEST_CASE("a key means its characters, whatever its escapes") {
  findings found;
  CHECK(read(R"({"object\u005ftype": [["nn.ReLU", null]]})", found).entries[0].op == nn::relu.id());
  CHECK(found.size() == 0);
  CHECK(wrong(R"({"object_type": [], "object\u005ftype": []})").find("[duplicate-key]") !=
        std::string::npos);
}

TEST_CASE("entries have the order of the text and know their place in it") {
  findings found;
  constexpr std::string_view text = R"({"module_name": [["b", null], ["a", null]], "": null,
    "object_type": [["own.swish", null]]})";
  const json::mapping_reader m = read(text, found, ops<builtin, own::swish>::value);
  REQUIRE(m.entries.size() == 4);
  CHECK(m.entries[0].module == "b");
  CHECK(m.entries[1].module == "a");
  CHECK(m.entries[2].level == mapping_level::global);
  CHECK(m.entries[3].op == own::swish.id());
  CHECK(m.at[0] == static_cast<int>(text.find(R"(["b")")));
  CHECK(m.at[2] == static_cast<int>(text.find("null,\n")));
  CHECK(m.at[3] == static_cast<int>(text.find(R"(["own)")));
}

TEST_CASE("names are read without their escapes") {
  findings found;
  const json::parsed in{
      R"({"module_name_regex": [["\\d", null], ["plain", null], ["\u00e9\n", null]],
          "object_type": [["nn.R\u0065LU", null]],
          "module_name_object_type_order": [["\"", "nn\u002eReLU", -3, null]], "": null})"};
  const json::mapping_reader m{in.root(), ops<builtin>::value, found};
  REQUIRE(found.size() == 0);
  CHECK(m.entries[0].module == R"(\d)");
  CHECK(m.entries[1].module == "plain");
  CHECK(m.entries[2].module == "\xC3\xA9\n");
  CHECK(m.entries[3].op == nn::relu.id());
  CHECK(m.entries[4].module == "\"");
  CHECK(m.entries[4].op == nn::relu.id());
  CHECK(m.entries[4].order == -3);
  CHECK(m.entries[5].module.empty());
}

TEST_CASE("an observer and its arguments may have escapes as well") {
  findings found;
  const json::parsed in{R"({"": {"activation": {"cl\u0061ss": "MinMaxObs\u0065rver",
      "dtyp\u0065": "torch.q\u0069nt8"}, "w\u0065ight": {"class": "NoopObserver"}}})"};
  const json::mapping_reader m{in.root(), ops<builtin>::value, found};
  REQUIRE(found.size() == 0);
  CHECK(m.entries[0].qconfig.activation.type == observer_class::min_max);
  CHECK(m.entries[0].qconfig.activation.args.dtype == qint8);
  CHECK(m.entries[0].qconfig.weight.type == observer_class::noop);
}

TEST_CASE("a row has as many values as its level asks for") {
  CHECK(wrong(R"({"module_name": [[], ["a", null, null], null, "a"]})") ==
        "f:1:18: error: expected 2 values, not 0 [wrong-type]\n"
        "f:1:22: error: expected 2 values, not 3 [wrong-type]\n"
        "f:1:41: error: expected an array, not null [wrong-type]\n"
        "f:1:47: error: expected an array, not a string [wrong-type]\n");
  CHECK(wrong(R"({"module_name_object_type_order": [["a", null]]})") ==
        "f:1:36: error: expected 4 values, not 2 [wrong-type]\n");
}

TEST_CASE("each value of a row is checked, also after a wrong one") {
  CHECK(wrong(R"({"module_name_object_type_order": [[1, "nn.Relu", 0.5, 7]]})") ==
        "f:1:37: error: expected a string, not a number [wrong-type]\n"
        "f:1:40: error: nn.Relu is not a known op, did you mean torch.nn.ReLU? [unknown-op]\n"
        "f:1:51: error: expected a whole number, not 0.5 [wrong-type]\n"
        "f:1:56: error: expected an object, not a number [wrong-type]\n");
}

TEST_CASE("a qconfig has both observers, each once, and nothing else") {
  const std::string noop = R"({"class": "NoopObserver"})";
  CHECK(wrong(R"({"": {}})") ==
        "f:1:6: error: activation is missing [missing-key]\n"
        "f:1:6: error: weight is missing [missing-key]\n");
  CHECK(wrong(R"({"": {"activation": )" + noop + R"(, "weight": )" + noop + R"(, "weight": 7}})") ==
        "f:1:85: error: weight is duplicated [duplicate-key]\n");
  CHECK(wrong(R"({"": {"activation": )" + noop + R"(, "weight": )" + noop + R"(, "bias": 7}})") ==
        "f:1:85: error: bias is not a known key here: activation, weight, output [unknown-key]\n");
  CHECK(wrong(R"({"": {"activation": null, "weight": )" + noop + "}}") ==
        "f:1:21: error: expected an object, not null [wrong-type]\n");
}

TEST_CASE("2048 entries are read, and no more") {
  const std::string most = R"({"": null, "module_name": [)" +
                           json::repeat(R"(["a", null])", json::max_entries - 1) + "]";
  findings found;
  const std::string fits = most + "}";
  CHECK(read(fits, found).entries.size() == json::max_entries);
  CHECK(found.size() == 0);
  const std::string more = most + ",\n\"object_type\": [[\"nn.ReLU\", null]]}";
  CHECK(read(more, found).entries.size() == json::max_entries);
  CHECK(json::printed(found, more) == "f:2:17: error: more than 2048 entries [too-many]\n");
}

TEST_CASE("a mapping that is broken throughout is not read to its end") {
  findings found;
  const std::string text = R"({"object_type": [)" + json::repeat(R"(["x", null])", 1000) + "]}";
  CHECK(read(text, found).entries.size() == max_findings);
  CHECK(found.size() == max_findings);
}

constexpr std::string_view text = R"({"": {"activation": {"quant_max": 1}, "weight": 2},
  "object_type": [["nn.ReLU", {"weight": {"eps": 3}}], ["nn.ELU", null]],
  "module_name_regex": [["(", {"weight": 4}]],
  "module_name_object_type_order": [["m", "nn.ReLU", 0, {"activation": 5}]]})";

/// What stands at a place of the entry that begins with these characters.
constexpr std::string_view at(std::string_view entry, const spec_place& place) {
  const json::parsed in{text};
  const int found = json::locate_entry(in.root(), static_cast<int>(text.find(entry)), place);
  return text.substr(static_cast<std::size_t>(found));
}

static_assert(at("{\"act", {.field = "activation", .part = "quant_max"}).starts_with("1}"));

TEST_CASE("a place of a mapping is the deepest value that is there") {
  CHECK(at("{\"act", {.field = "weight", .part = "eps"}).starts_with("2}"));
  CHECK(at("{\"act", {.field = "activation", .part = "eps"}).starts_with("{\"quant_max"));
  CHECK(at("{\"act", {}).starts_with("{\"activation"));
  CHECK(at("[\"nn.ReLU", {.field = "weight", .part = "eps"}).starts_with("3}"));
  CHECK(at("[\"nn.ReLU", {.field = "activation"}).starts_with("{\"weight"));
  CHECK(at("[\"nn.ELU", {.field = "weight"}).starts_with("null"));
  CHECK(at("[\"m\"", {.field = "activation", .part = "dtype"}).starts_with("5}"));
}

TEST_CASE("a wrong expression is at the name, its qconfig elsewhere") {
  CHECK(at("[\"(\"", {.field = "module_name_regex"}).starts_with("\"(\""));
  CHECK(at("[\"(\"", {.field = "weight"}).starts_with("4}"));
}

TEST_CASE("an entry that is not there is said of where it should be") {
  CHECK(at("eps", {.field = "weight"}).starts_with("eps"));
}

}  // namespace
