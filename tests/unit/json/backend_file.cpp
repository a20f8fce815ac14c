// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/backend_file.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "ctq/backends.hpp"
#include "ctq/json/write_backend.hpp"

using namespace ctq;

namespace {

std::string findings_of(const json::backend_file& file) {
  std::string out;
  for (const finding& f : file.found()) {
    json::append_located(out, "f", file.text(), f);
    out += '\n';
  }
  return out;
}

std::string findings_of(std::string_view text) { return findings_of(json::backend_file{text}); }

/// The findings about one config.
std::string about(const std::string& config) {
  return findings_of(R"({"name": "n", "configs": [)" + config + "]}");
}

template <class Backend>
void check_round_trip() {
  std::string text;
  json::append_json(text, backend_v<Backend>);
  const result<json::backend_file> read = json::from_json(text);
  REQUIRE_MESSAGE(read.has_value(), Backend::name);
  CHECK(read->view() == backend_v<Backend>);
  std::string again;
  json::append_json(again, read->view());
  CHECK(again == text);
}

TEST_CASE("every backend of PyTorch survives the way through JSON") {
  check_round_trip<native>();
  check_round_trip<fbgemm>();
  check_round_trip<x86>();
  check_round_trip<qnnpack>();
  check_round_trip<onednn>();
  check_round_trip<executorch>();
  check_round_trip<tensorrt>();
}

TEST_CASE("all fields are read") {
  const json::backend_file file{R"({"name": "n", "$schema": "x", "configs": [
    {"pattern_complex_format": ["nn.ReLU", ["operator.add", "MatchAllNode", "nn.Conv2d"]],
     "observation_type": "ObservationType.OUTPUT_SHARE_OBSERVER_WITH_INPUT",
     "dtype_configs": [{"input_dtype": {"dtype": "torch.qint8", "quant_min_lower_bound": -1,
       "quant_max_upper_bound": 2, "scale_min_lower_bound": 0.5, "scale_max_upper_bound": 1,
       "scale_exact_match": 0.75, "zero_point_exact_match": 3}, "bias_dtype": "float32",
       "is_dynamic": true}, {}],
     "root_module": "nn.Conv2d", "qat_module": "nnqat.Conv2d", "fused_module": "nni.ConvAdd2d",
     "reference_quantized_module_for_root": "nnqr.Conv2d", "fuser_method": "fuse_conv_bn",
     "root_node_getter": [1, 2], "extra_inputs_getter": [[1, 1]],
     "num_tensor_args_to_observation_type": {"2": "OUTPUT_SHARE_OBSERVER_WITH_INPUT"},
     "input_type_to_index": {"weight": 1, "bias": 2}, "input_output_observed": false,
     "overwrite_output_observer": {"class": "FixedQParamsObserver", "scale": 0.5},
     "overwrite_output_fake_quantize": {"class": "torch.ao.quantization.FakeQuantize",
       "observer": "HistogramObserver", "quant_max": 7}}]})"};
  REQUIRE(file.view().configs.size() == 1);
  const backend_pattern_config_record& c = file.view().configs[0];
  CHECK(c.pattern == pattern<nested<nn::relu, nested<op::add, match_all, nn::conv2d>>>::value);
  CHECK(c.observation_type == observation_type::output_share_observer_with_input);
  REQUIRE(c.dtype_configs.size() == 2);
  const dtype_with_constraints_record& in = c.dtype_configs[0].input_dtype;
  CHECK(in.dtype == qint8);
  CHECK(in.quant_min_lower_bound == optional_int{-1});
  CHECK(in.quant_max_upper_bound == optional_int{2});
  CHECK(in.scale_min_lower_bound == optional_real{0.5});
  CHECK(in.scale_max_upper_bound == optional_real{1.0});
  CHECK(in.scale_exact_match == optional_real{0.75});
  CHECK(in.zero_point_exact_match == optional_int{3});
  CHECK(c.dtype_configs[0].bias_dtype == f32);
  CHECK(c.dtype_configs[0].is_dynamic);
  CHECK(c.dtype_configs[1] == dtype_config_record{});
  CHECK(c.root_module == nn::conv2d.id());
  CHECK(c.qat_module == nnqat::conv2d.id());
  CHECK(c.reference_quantized_module_for_root == nnqr::conv2d.id());
  CHECK(c.fused_module == nni::conv_add2d.id());
  CHECK(c.fuser_method == &fuse_conv_bn);
  CHECK(c.root_node_getter == path<1, 2>::value);
  REQUIRE(c.extra_inputs_getter.size() == 1);
  CHECK(c.extra_inputs_getter[0] == path<1, 1>::value);
  CHECK(c.num_tensor_args_to_observation_type.given[2]);
  CHECK_FALSE(c.num_tensor_args_to_observation_type.given[1]);
  CHECK(c.input_type_to_index == input_index_record{.weight = 1, .bias = 2});
  CHECK(c.input_output_observed == observed::no);
  REQUIRE(c.overwrite_output_observer.size() == 1);
  CHECK(c.overwrite_output_observer[0] == fixed_qparams_observer<{.scale = 0.5F}>::value);
  REQUIRE(c.overwrite_output_fake_quantize.size() == 1);
  CHECK(c.overwrite_output_fake_quantize[0] ==
        fake_quantize<histogram_observer<{.quant_max = 7}>>::value);
}

TEST_CASE("moving a file keeps its views") {
  json::backend_file file{R"({"name": "n", "ops": ["my.op"], "configs": [{"pattern": "my.op"}]})"};
  const json::backend_file moved = std::move(file);
  REQUIRE(moved.valid());
  CHECK(moved.view().configs[0].pattern.anchor()->name == "my.op");
  CHECK(moved.view().name == "n");
}

TEST_CASE("a finding has the position of the wrong value") {
  CHECK(findings_of("") == "f:1:1: error: expected a value [json-syntax]\n");
  CHECK(findings_of("{\n  \"name\" 1}") == "f:2:10: error: expected : [json-syntax]\n");
  CHECK(findings_of("[]") == "f:1:1: error: expected an object, not an array [wrong-type]\n");
  CHECK(findings_of("{}") ==
        "f:1:1: error: name is missing [missing-key]\n"
        "f:1:1: error: configs is missing [missing-key]\n");
  CHECK(findings_of(R"({"name": "a", "name": "b", "configs": []})") ==
        "f:1:15: error: name is duplicated [duplicate-key]\n");
  CHECK(findings_of(R"({"name": "a", "config": [], "configs": []})") ==
        "f:1:15: error: config is not a known key here, did you mean configs? [unknown-key]\n");
  CHECK(about(R"({"pattern": "torch.nn.Conv2"})") ==
        "f:1:39: error: torch.nn.Conv2 is not a known op, did you mean torch.nn.Conv2d? "
        "[unknown-op]\n");
  CHECK(about(R"({"pattern": 7})") ==
        "f:1:39: error: expected an op or a list of ops, not a number [wrong-type]\n");
  CHECK(about(R"({"pattern": ["nn.ReLU", ["nn.ReLU"]]})") ==
        "f:1:51: error: a nested pattern belongs under pattern_complex_format [pattern-form]\n");
  CHECK(about(R"({"pattern": "nn.ReLU", "pattern_complex_format": "nn.ReLU"})")
            .find("are mutually exclusive [pattern-form]") != std::string::npos);
  CHECK(about(R"({"pattern": "nn.ReLU", "observation_type": "SHARED"})")
            .find("SHARED is not a known observation type [unknown-value]") != std::string::npos);
  CHECK(about(R"({"pattern": "nn.ReLU", "dtype_configs": [{"input_dtype": "quint9"}]})")
            .find("quint9 is not a known dtype, did you mean quint8? [unknown-value]") !=
        std::string::npos);
  CHECK(about(R"({"pattern": "nn.ReLU", "dtype_configs": [{"is_dynamic": 1}]})")
            .find("expected true or false, not a number [wrong-type]") != std::string::npos);
  CHECK(about(R"({"pattern": "nn.ReLU", "fuser_method": "fuse_conv"})")
            .find("fuse_conv is not a known fuser method, did you mean fuse_conv_bn? "
                  "[unknown-value]") != std::string::npos);
  CHECK(about(R"({"pattern": "nn.ReLU", "input_type_to_index": {"weight": 1.5}})")
            .find("expected a whole number, not 1.5 [wrong-type]") != std::string::npos);
  CHECK(about(R"({"pattern": "nn.ReLU", "num_tensor_args_to_observation_type": {"4": ""}})")
            .find("[unknown-key]") != std::string::npos);
  CHECK(about(R"({"pattern": "nn.ReLU", "root_node_getter": []})")
            .find("expected 1 to 8 indices [node-path]") != std::string::npos);
}

TEST_CASE("the rules point at the value they are about") {
  CHECK(about("{\"pattern\": \"nn.Linear\", \"dtype_configs\": [\n"
              "  {\"input_dtype\": {\"dtype\": \"quint8\",\n"
              "     \"quant_max_upper_bound\": 256}}]}") ==
        "f:3:31: error: input_dtype.quant_max_upper_bound: 256 is outside quint8, which holds 0 "
        "to 255 [quant-bounds-outside-dtype]\n");
  CHECK(about("{\"pattern\": \"nn.ReLU\"},\n{\"pattern\": \"nn.ReLU\"}") ==
        "f:2:13: error: pattern: is also that of configs[0] [duplicate-pattern]\n");
  CHECK(about("{\"pattern_complex_format\": \"nn.ReLU\"},\n{\"pattern_complex_format\":"
              " [\"nn.ReLU\"]}") ==
        "f:2:28: error: pattern: is also that of configs[0] [duplicate-pattern]\n");
  CHECK(about("{\"pattern\": \"nn.Linear\", \"reference_quantized_module_for_root\":\n"
              " \"nnqr.Linear\"}")
            .starts_with("f:2:2: error: reference_quantized_module_for_root"));
}

TEST_CASE("rows with one list of dtypes have one list, and each its findings") {
  const std::string row =
      R"({"pattern": "nn.Linear", "dtype_configs": [{"input_dtype": "quint8"}]})";
  const json::backend_file file{R"({"name": "n", "configs": [)" + row + ",\n" + row + "]}"};
  REQUIRE(file.view().configs.size() == 2);
  CHECK(file.view().configs[0].dtype_configs.items == file.view().configs[1].dtype_configs.items);
  const std::string bad = R"("dtype_configs": [{"input_dtype": "quint9"}]})";
  const std::string found =
      about(R"({"pattern": "nn.Linear", )" + bad + ",\n" + R"({"pattern": "nn.ReLU", )" + bad);
  CHECK(found.find("f:1:") != std::string::npos);
  CHECK(found.find("f:2:") != std::string::npos);
}

struct op_swish : function_op<op_swish> {
  static constexpr std::string_view name = "my.swish";
};
constexpr op_swish swish{};

TEST_CASE("ops of the user's own are declared, or come from a table") {
  const std::string text = R"({"name": "n", "configs": [{"pattern": ["nn.Conv2d", "my.swish"]}]})";
  CHECK_FALSE(json::backend_file{text}.valid());
  const json::backend_file file{text, ops<builtin, swish>::value};
  REQUIRE(file.valid());
  CHECK(file.view().configs[0].pattern == pattern<nn::conv2d, swish>::value);

  const std::string declared =
      R"({"name": "n", "ops": [{"name": "my.swish", "kind": "module"}, "my.other"],
          "configs": [{"pattern": ["my.other", "my.swish"]}]})";
  const json::backend_file own{declared};
  REQUIRE(own.valid());
  CHECK(own.view().configs[0].pattern.anchor()->kind == op_kind::module);
  // A declaration of what the table has means that.
  const json::backend_file both{declared, ops<builtin, swish>::value};
  REQUIRE(both.valid());
  CHECK(both.view().configs[0].pattern.anchor() == swish.id());

  CHECK(findings_of(R"({"name": "n", "ops": ["torch.nn.ReLU"], "configs": []})")
            .find("[duplicate-op]") != std::string::npos);
  CHECK(findings_of(R"({"name": "n", "ops": ["a.b", "a.b"], "configs": []})")
            .find("[duplicate-op]") != std::string::npos);
  CHECK(findings_of(R"({"name": "n", "ops": [{"kind": "function"}], "configs": []})")
            .find("name is missing [missing-key]") != std::string::npos);
}

TEST_CASE("exceeded limits are findings") {
  std::string many = R"({"name": "n", "configs": [)";
  for (int i = 0; i < 5000; ++i) many += i == 0 ? "{\"pattern\": []}" : ",{\"pattern\": []}";
  CHECK(json::backend_file{many + "]}"}.found().size() > 0);
  std::string deep = "{\"name\": \"n\", \"configs\": [{\"pattern\": [\"nn.ReLU\"";
  for (int i = 0; i < 64; ++i) deep += ", \"nn.ReLU\"";
  CHECK(findings_of(deep + "]}]}").find("more than 64 ops in one pattern [too-many]") !=
        std::string::npos);
  CHECK(findings_of(std::string(json::max_text + 1, ' ')) ==
        "f:1:1: error: more than 4 MiB of text [too-many]\n");
}

TEST_CASE("from_json gives the backend, or the first error in the text") {
  const result<json::backend_file> bad =
      json::from_json("{\"configs\": [{\"pattern\": \"nn.Relu\"}]}", "npu.json");
  REQUIRE_FALSE(bad.has_value());
  CHECK(bad.error().place == "npu.json:1:1");
  CHECK(bad.error().cause == "error: name is missing [missing-key]");
  CHECK(json::from_json(R"({"name": "n", "configs": []})")->view().configs.empty());
}

}  // namespace
