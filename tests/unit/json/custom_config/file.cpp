// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/custom_config/file.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "ctq/backends/x86.hpp"
#include "ctq/json/custom_config/write.hpp"

using namespace ctq;
using json::custom_config_file;
using json::custom_config_kind;

namespace {

TEST_CASE("a config of convert knows the classes that that of prepare declares") {
  const custom_config_file prepare{
      R"({"ops": [{"name": "my.Cell", "kind": "module"}, {"name": "my.\u0053een", "kind": "module"}],
          "float_to_observed_custom_module_class": {"static": {"my.Cell": "my.Seen"}},
          "preserved_attributes": ["a\"b"]})",
      custom_config_kind::prepare};
  REQUIRE(prepare.valid());
  REQUIRE(prepare.prepare().custom_modules.size() == 1);
  CHECK(prepare.prepare().custom_modules[0].observed->name == "my.Seen");
  CHECK(prepare.prepare().preserved_attributes[0] == "a\"b");
  const op_table known{prepare.own_ops(), ops<builtin>::value.builtin};
  const custom_config_file convert{
      R"({"ops": [{"name": "my.Int8", "kind": "module"}],
          "observed_to_quantized_custom_module_class": {"static": {"my.Seen": "my.Int8"}}})",
      custom_config_kind::convert, known};
  REQUIRE(convert.valid());
  CHECK(convert.convert().custom_modules[0].observed ==
        prepare.prepare().custom_modules[0].observed);
}

TEST_CASE("what is moved still holds") {
  constexpr backend_view backends[] = {backend_v<x86>};
  custom_config_file first{
      R"({"standalone_module_name": [["a\\b", {"module_name": [["f\u0063", null]]}, [],
          {"input_quantized_idxs": [3]}, "x86"]]})",
      custom_config_kind::prepare,
      ops<builtin>::value,
      {backends, 1}};
  const custom_config_file file{std::move(first)};
  REQUIRE(file.valid());
  REQUIRE(file.prepare().standalone.size() == 1);
  const standalone_module& s = file.prepare().standalone[0];
  CHECK(s.name == "a\\b");
  REQUIRE(s.mapping != nullptr);
  CHECK(s.mapping->entries[0].module == "fc");
  CHECK(s.backend == &backends[0]);
  CHECK(s.custom.input_quantized_indexes[0] == 3);
}

TEST_CASE("errors have their places, and nothing is left of what was read") {
  const custom_config_file cut{"{", custom_config_kind::fuse};
  REQUIRE(cut.found().size() == 1);
  CHECK(cut.found()[0].rule == rule::json_syntax);
  const custom_config_file file{"{\"preserved_attributes\":\n 7}", custom_config_kind::fuse};
  REQUIRE(file.found().size() == 1);
  std::string text;
  json::append_located(text, "f", file.text(), file.found()[0]);
  CHECK(text == "f:2:2: error: expected an array, not a number [wrong-type]");
  CHECK(file.fuse().preserved_attributes.empty());
}

}  // namespace
