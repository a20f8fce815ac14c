// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/custom_config/read.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "../parsed.hpp"
#include "ctq/backends/x86.hpp"

using namespace ctq;
using json::custom_config_kind;

namespace {

constexpr op_info block{op_kind::module, "my.Block"};
constexpr op_info seen{op_kind::module, "my.Seen"};
constexpr op_info gate{op_kind::function, "my.gate"};
constexpr op_id own[] = {&block, &seen, &gate};
constexpr op_table table{{own, 3}, ops<builtin>::value.builtin};
constexpr backend_view backends[] = {backend_v<x86>};

constexpr json::custom_config_draft read(std::string_view text, findings& found,
                                         custom_config_kind kind = custom_config_kind::prepare) {
  const json::parsed in{text};
  return json::custom_config_reader{in.root(), kind, table, {backends, 1}, found}.draft;
}

std::string wrong(std::string_view text, custom_config_kind kind = custom_config_kind::prepare) {
  findings found;
  static_cast<void>(read(text, found, kind));
  return json::printed(found, text);
}

static_assert([] {
  findings found;
  const json::custom_config_draft d = read(
      R"({"$schema": "x", "ops": [], "input_quantized_idxs": [0, 2], "output_quantized_idxs": [1],
          "preserved_attributes": ["tag"], "non_traceable_module_name": ["a.b", "c"],
          "non_traceable_module_class": ["my.Block"],
          "float_to_observed_custom_module_class": {"dynamic": {"my.Block": "my.Seen"}}})",
      found);
  const json::custom_config_part& c = d.root;
  return found.size() == 0 && c.input_quantized_indexes.count == 2 && d.indexes[1] == 2 &&
         d.indexes[c.output_quantized_indexes.first] == 1 &&
         d.names[c.preserved_attributes.first] == "tag" &&
         c.non_traceable_module_names.count == 2 &&
         d.names[c.non_traceable_module_names.first] == "a.b" && d.classes[0] == &block &&
         d.custom_modules[0] == custom_module{&block, &seen, nullptr, quant_type::dynamic};
}());

TEST_CASE("modules in modules come after those around them, which stay together") {
  findings found;
  constexpr std::string_view text =
      R"({"standalone_module_class": [["my.Block", null, null, null, "x86"]],
          "standalone_module_name": [
            ["a", {"": null}, [], {"standalone_module_name": [["b", null, null, {}, null]]}, null],
            ["c", null, [[1, 3]], null, null]]})";
  const json::custom_config_draft d = read(text, found);
  CHECK(json::printed(found, text).empty());
  REQUIRE(d.standalone.size() == 4);
  CHECK(d.root.standalone.count == 3);
  CHECK(d.standalone[0].type == &block);
  CHECK(d.standalone[0].backend == 0);
  CHECK(d.standalone[1].name == "a");
  CHECK(d.standalone[1].mapping == 0);
  CHECK(d.standalone[1].custom.standalone.first == 3);
  CHECK(d.standalone[1].custom.standalone.count == 1);
  CHECK(d.standalone[2].name == "c");
  CHECK(d.standalone[3].name == "b");
  REQUIRE(d.mappings.size() == 1);
  CHECK(d.mappings[0].count == 1);
}

TEST_CASE("each of the three configs has its keys") {
  CHECK(wrong("[]") == "f:1:1: error: expected an object, not an array [wrong-type]\n");
  CHECK(wrong(R"({"standalone_module_names": []})") ==
        "f:1:2: error: standalone_module_names is not a known key of a custom config, did you mean "
        "standalone_module_name? [unknown-key]\n");
  constexpr std::string_view quantized = R"({"observed_to_quantized_custom_module_class": {}})";
  CHECK(wrong(quantized).find("is not a known key") != std::string::npos);
  CHECK(wrong(quantized, custom_config_kind::convert).empty());
  CHECK(wrong(quantized, custom_config_kind::fuse).find("[unknown-key]") != std::string::npos);
  CHECK(wrong(R"({"preserved_attributes": []})", custom_config_kind::fuse).empty());
  CHECK(wrong(R"({"preserved_attributes": [], "preserved_attributes": []})") ==
        "f:1:30: error: preserved_attributes is duplicated [duplicate-key]\n");
  CHECK(wrong(R"({"standalone_module_name": [["a", null, null, {"ops": []}, null]]})") ==
        "f:1:48: error: ops is not a known key of a custom config [unknown-key]\n");
}

TEST_CASE("a standalone module has five values, each of its type") {
  CHECK(wrong(R"({"standalone_module_name": ["a", ["a"], ["", 7, 7, 7, 7]]})") ==
        "f:1:29: error: expected an array, not a string [wrong-type]\n"
        "f:1:34: error: expected 5 values, not 1 [wrong-type]\n"
        "f:1:42: error: expected a name that is not empty [wrong-type]\n"
        "f:1:46: error: expected an object, not a number [wrong-type]\n"
        "f:1:49: error: expected an array, not a number [wrong-type]\n"
        "f:1:52: error: expected an object, not a number [wrong-type]\n"
        "f:1:55: error: expected a string, not a number [wrong-type]\n");
  CHECK(wrong(R"({"standalone_module_name": [["a", null, null, null, "x87"]]})") ==
        "f:1:53: error: x87 is not a known backend, did you mean x86? [unknown-value]\n");
}

TEST_CASE("a mapping inside is checked as one alone, at its place") {
  CHECK(wrong(R"({"standalone_module_name": [["a", {"module_name_regex": [["(", null]],
      "module_names": []}, null, null, null]]})")
            .find("f:2:7: error: module_names is not a known level") != std::string::npos);
  CHECK(wrong(R"({"standalone_module_name": [["a", {"module_name_regex": [["(", null]]},
      null, null, null]]})") ==
        "f:1:59: error: module_name_regex: ( is not a supported regular expression "
        "[regex-syntax]\n");
}

TEST_CASE("classes are those of modules") {
  CHECK(wrong(R"({"non_traceable_module_class": ["my.gate", "my.Blok", 7]})") ==
        "f:1:33: error: my.gate is not the class of a module [unknown-value]\n"
        "f:1:44: error: my.Blok is not a known op, did you mean my.Block? [unknown-op]\n"
        "f:1:55: error: expected a string, not a number [wrong-type]\n");
}

TEST_CASE("custom modules are by quant type, each class once") {
  CHECK(wrong(R"({"float_to_observed_custom_module_class": {"some": {}, "static":
      {"my.Block": "my.Seen", "my.Block": "my.Seen"}, "qat": []}})") ==
        "f:1:44: error: expected static, dynamic, qat or weight_only [unknown-key]\n"
        "f:2:31: error: my.Block is duplicated [duplicate-key]\n"
        "f:2:62: error: expected an object, not an array [wrong-type]\n");
  findings found;
  const auto d = read(R"({"observed_to_quantized_custom_module_class":
      {"static": {"my.Seen": "my.Block"}, "weight_only": {"my.Seen": "my.Block"}}})",
                      found, custom_config_kind::convert);
  CHECK(found.size() == 0);
  REQUIRE(d.custom_modules.size() == 2);
  CHECK(d.custom_modules[0] == custom_module{nullptr, &seen, &block, quant_type::static_});
  CHECK(d.custom_modules[1].type == quant_type::weight_only);
}

TEST_CASE("a custom module is not replaced by another class of ctq") {
  CHECK(wrong(R"({"float_to_observed_custom_module_class":
      {"static": {"torch.nn.Linear": "torch.nn.Conv2d", "torch.nn.ReLU": "my.Seen"}}})") ==
        "f:2:38: error: torch.nn.Conv2d cannot replace torch.nn.Linear: name a class of `ops`, or "
        "the "
        "same one [unknown-value]\n");
  CHECK(wrong(R"({"float_to_observed_custom_module_class":
      {"static": {"torch.nn.LSTM": "torch.ao.nn.quantizable.LSTM"}}})")
            .find("cannot replace") == std::string::npos);
}

TEST_CASE("indexes are whole numbers from 0") {
  CHECK(wrong(R"({"input_quantized_idxs": [-1, 0.5, "0"], "output_quantized_idxs": 0})") ==
        "f:1:27: error: expected an index from 0, not -1 [wrong-type]\n"
        "f:1:31: error: expected a whole number, not 0.5 [wrong-type]\n"
        "f:1:36: error: expected a number, not a string [wrong-type]\n"
        "f:1:67: error: expected an array, not a number [wrong-type]\n");
}

TEST_CASE("lists have at most 1024 items") {
  const std::string names = json::repeat("\"a\"", 1024);
  CHECK(wrong("{\"preserved_attributes\": [" + names + "]}").empty());
  CHECK(wrong("{\"preserved_attributes\": [" + names + ", \"a\"]}") ==
        "f:1:26: error: more than 1024 items [too-many]\n");
  std::string pairs;
  for (int i = 0; i < 1025; ++i) pairs += (i == 0 ? "\"" : ", \"") + std::to_string(i) + "\": \"\"";
  CHECK(wrong("{\"float_to_observed_custom_module_class\": {\"static\": {" + pairs + "}}}")
            .find("[unknown-op]") != std::string::npos);
}

}  // namespace
