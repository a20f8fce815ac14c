// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/custom_config/from_json.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "ctq/backends/x86.hpp"
#include "ctq/json/custom_config/file.hpp"
#include "ctq/json/custom_config/write.hpp"

using namespace ctq;

namespace {

constexpr embedded_file blocks_json{"blocks.json", R"({
  "ops": [{"name": "my.Block", "kind": "module"}, {"name": "my.Cell", "kind": "module"}, {"name": "my.Seen", "kind": "module"}],
  "standalone_module_name": [["a", {"": null, "module_name": [["f\"c", null]]}, [], {"standalone_module_class": [["my.Block", null, [], {}, null]], "output_quantized_idxs": [0]}, "x86"]],
  "standalone_module_class": [["my.Block", null, [], {}, null]],
  "float_to_observed_custom_module_class": {"dynamic": {"my.Cell": "my.Seen"}, "static": {"my.Cell": "my.Seen"}},
  "non_traceable_module_name": ["b\\c"],
  "non_traceable_module_class": ["my.Block", "torch.nn.LSTM"],
  "input_quantized_idxs": [0, 1],
  "output_quantized_idxs": [0],
  "preserved_attributes": ["tag"]
}
)"};
using blocks = prepare_custom_config_from_json<blocks_json, ops<builtin>, x86>;
[[maybe_unused]] constexpr checked_custom_config<blocks> checked;

constexpr const prepare_custom_config& config = blocks::value;
static_assert(config.standalone.size() == 2 && config.standalone[0].name == "a");
static_assert(config.standalone[0].mapping->count == 2);
static_assert(config.standalone[0].mapping->entries[1].module == "f\"c");
static_assert(config.standalone[0].backend->name == "x86");
static_assert(config.standalone[0].custom.standalone[0].type == config.standalone[1].type);
static_assert(config.standalone[0].custom.output_quantized_indexes[0] == 0);
static_assert(config.custom_modules.size() == 2);
static_assert(config.custom_modules[0].type == quant_type::dynamic);
static_assert(config.non_traceable_module_names[0] == "b\\c");
static_assert(config.non_traceable_module_classes[1] == nn::lstm.id());
static_assert(config.preserved_attributes[0] == "tag");

constexpr embedded_file cells_json{"cells.json", R"({
  "ops": [{"name": "my.Seen", "kind": "module"}, {"name": "my.Int8", "kind": "module"}],
  "observed_to_quantized_custom_module_class": {"static": {"my.Seen": "my.Int8"}},
  "preserved_attributes": ["tag"]
}
)"};
using cells = convert_custom_config_from_json<cells_json>;
static_assert(!cells::problem.any());
static_assert(cells::value.custom_modules[0].quantized->name == "my.Int8");

constexpr embedded_file fused_json{"fused.json", R"({
  "preserved_attributes": ["x", "y"]
}
)"};
using fused = fuse_custom_config_from_json<fused_json>;
static_assert(fused::value.preserved_attributes.size() == 2 && !fused::problem.any());

constexpr embedded_file misspelt{"m.json", R"({"standalone_module_name":
  [["a", {"object_type": [["nn.Linea", null]]}, null, null, null]]})"};
static_assert(prepare_custom_config_from_json<misspelt>::problem.message() ==
              "m.json:2:28: error: nn.Linea is not a known op, did you mean torch.nn.Linear? "
              "[unknown-op]");
static_assert(prepare_custom_config_from_json<misspelt>::value.standalone.empty());
constexpr embedded_file cut{"cut.json", "{"};
static_assert(fuse_custom_config_from_json<cut>::problem.message() ==
              "cut.json:1:2: error: expected a key in quotes [json-syntax]");

template <class Config>
std::string written(const Config& c) {
  std::string text;
  json::append_json(text, c);
  return text;
}

TEST_CASE("configs print as the files they were read from, while compiling and at run time") {
  CHECK(written(config) == blocks_json.text);
  CHECK(written(cells::value) == cells_json.text);
  CHECK(written(fused::value) == fused_json.text);
  constexpr backend_view backends[] = {backend_v<x86>};
  using json::custom_config_file;
  using json::custom_config_kind;
  const custom_config_file b{
      blocks_json.text, custom_config_kind::prepare, ops<builtin>::value, {backends, 1}};
  REQUIRE(b.valid());
  CHECK(written(b.prepare()) == blocks_json.text);
  const custom_config_file c{cells_json.text, custom_config_kind::convert};
  CHECK(written(c.convert()) == cells_json.text);
  const custom_config_file f{fused_json.text, custom_config_kind::fuse};
  CHECK(written(f.fuse()) == fused_json.text);
}

}  // namespace
