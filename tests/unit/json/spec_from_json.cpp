// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/spec_from_json.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "ctq/json/backend_file.hpp"
#include "ctq/json/to_json.hpp"

using namespace ctq;

namespace {

constexpr embedded_file npu_json{"npu.json", R"({
  "name": "npu",
  "ops": [{"name": "my.Gate", "kind": "module"}],
  "configs": [
    {"pattern": "torch.nn.Linear", "observation_type": "OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT", "dtype_configs": [{"input_dtype": {"dtype": "torch.quint8", "scale_min_lower_bound": 0.000244140625}, "weight_dtype": "torch.qint8"}]},
    {"pattern": ["torch.nn.Conv2d", "my.Gate"], "observation_type": "OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT", "dtype_configs": []},
    {"pattern_complex_format": ["torch.nn.ReLU", ["_operator.add", "MatchAllNode", "torch.nn.Conv2d"]], "observation_type": "OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT", "dtype_configs": [], "root_node_getter": [1, 2], "extra_inputs_getter": [[1, 1]]}
  ]
}
)"};
struct npu : spec_from_json<npu_json> {};
[[maybe_unused]] constexpr checked_backend<npu> checked;

// It is a backend as any other.
static_assert(backend_v<npu>.name == "npu" && backend_v<npu>.configs.size() == 3);
static_assert(backend_v<npu>.configs[0].pattern.anchor() == nn::linear.id());
static_assert(backend_v<npu>.configs[0].dtype_configs[0].weight_dtype.dtype == qint8);
static_assert(backend_v<npu>.configs[1].pattern.anchor()->name == "my.Gate");
static_assert(backend_v<npu>.configs[2].extra_inputs_getter[0] == path<1, 1>::value);

// There and back again.
static_assert(to_json<npu>() == npu_json.text);

// Ops of the user's own are those of the table.
struct op_gate : module_op<op_gate> {
  static constexpr std::string_view name = "my.Gate";
};
constexpr op_gate gate{};
struct with_gate : spec_from_json<npu_json, ops<builtin, gate>> {};
static_assert(backend_v<with_gate>.configs[1].pattern.anchor() == gate.id());
static_assert(backend_v<with_gate>.configs[1].pattern == pattern<nn::conv2d, gate>::value);

template <const embedded_file& File>
struct spec : spec_from_json<File> {};
template <const embedded_file& File>
constexpr std::string_view problem = backend_check<spec<File>>::found.message();

constexpr embedded_file cut{"cut.json", "{\n  \"name\": \"npu\""};
static_assert(problem<cut> == "cut.json:2:16: error: expected , or } [json-syntax]");
static_assert(backend_v<spec<cut>>.configs.empty());

constexpr embedded_file misspelt{"m.json", R"({"name": "n", "configs": [
  {"pattern": "torch.nn.Linear"},
  {"pattern": "torch.nn.conv2d"}]})"};
static_assert(
    problem<misspelt> ==
    "m.json:3:15: error: torch.nn.conv2d is not a known op, did you mean torch.nn.Conv2d? "
    "[unknown-op]");

constexpr embedded_file twice{"t.json", R"({"name": "n", "configs": [
  {"pattern": "torch.nn.Linear"},
  {"pattern": "torch.nn.Linear"}]})"};
static_assert(problem<twice> ==
              "t.json:3:15: error: pattern: is also that of configs[0] [duplicate-pattern]");

constexpr embedded_file odd{"o.json", R"({"name": "n", "configs": [
  {"pattern": "torch.nn.Linear", "root_module": "torch.nn.Linear"}]})"};
static_assert(problem<odd>.empty());  // a warning
static_assert(backend_check<spec<odd>, strictness::warnings>::bad());

// Names are their characters, whatever their escapes.
constexpr embedded_file escaped{"e.json",
                                R"({"name": "n\u0070\u0075 \"2\"", "ops": ["my.\u0022gate\""],
  "configs": [{"pattern": ["torch.nn.\u0043onv2d", "my.\"gate\""], "qat_module": "nn\u002eLinear",
               "observation_type": "\u004FUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT",
               "dtype_configs": [{"input_dtype": "torch\u002equint8"}]}]})"};
struct quoted : spec_from_json<escaped> {};
static_assert(backend_v<quoted>.name == "npu \"2\"");
static_assert(backend_v<quoted>.configs[0].pattern.element[0].op->name == "my.\"gate\"");
static_assert(backend_v<quoted>.configs[0].pattern.element[1].op == nn::conv2d.id());
static_assert(backend_v<quoted>.configs[0].qat_module == nn::linear.id());
static_assert(backend_v<quoted>.configs[0].observation_type ==
              observation_type::output_use_different_observer_as_input);
static_assert(backend_v<quoted>.configs[0].dtype_configs[0].input_dtype.dtype == quint8);

TEST_CASE("a backend whose names need escapes survives the way through JSON") {
  const std::string_view text = to_json<quoted>();
  CHECK(text.starts_with(R"({
  "name": "npu \"2\"",
  "ops": [{"name": "my.\"gate\"", "kind": "function"}],)"));
  const json::backend_file read{text};
  REQUIRE(read.valid());
  std::string again;
  json::append_json(again, read.view());
  CHECK(again == text);
}

TEST_CASE("compiled and read at run time, a file is the same backend") {
  const json::backend_file file{npu_json.text, ops<builtin, gate>::value};
  REQUIRE(file.valid());
  CHECK(file.view() == backend_v<with_gate>);
}

}  // namespace
