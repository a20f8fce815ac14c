// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/read_backend.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "../user_ops.hpp"
#include "parsed.hpp"

using namespace ctq;

namespace {

/// A text, what was read of it, and what is wrong with it.
struct reading {
  constexpr explicit reading(std::string_view t, const op_table& table = ops<builtin>::value)
      : text(t) {
    const json::parsed in{text};
    draft = json::backend_reader{in.root(), table, found}.draft;
  }
  [[nodiscard]] std::string wrong() const { return json::printed(found, text); }
  [[nodiscard]] constexpr backend_pattern_config_record config(int i) const {
    return linked(draft.configs[i], draft);
  }

  std::string_view text;
  findings found{};
  json::backend_draft draft{};
};

std::string configs(const std::string& rows) {
  return R"({"name": "n", "configs": [)" + rows + "]}";
}

/// What is wrong with one config.
std::string wrong(const std::string& config) { return reading{configs(config)}.wrong(); }

/// With what is said of a field of a config.
std::string wrong_field(const std::string& field) {
  return wrong(R"({"pattern": [], )" + field + "}");
}

static_assert([] {
  const reading r{R"({"configs": [
    {"pattern": "nn.Linear", "dtype_configs": [{}, {"is_dynamic": true}]},
    {"root_module": "nn.Conv2d", "pattern": ["nn.Conv2d", "nn.BatchNorm2d", "nn.ReLU"]}],
    "name": "n"})"};
  return r.found.size() == 0 && r.draft.name == "n" && r.draft.configs.size() == 2 &&
         r.config(0).pattern == pattern<nn::linear>::value &&
         r.config(0).dtype_configs.size() == 2 && r.config(0).dtype_configs[1].is_dynamic &&
         r.config(1).pattern == pattern<nn::conv2d, nn::batch_norm2d, nn::relu>::value &&
         r.config(1).root_module == nn::conv2d.id();
}());

TEST_CASE("a document is an object with a name and configs") {
  CHECK(reading{"7"}.wrong() == "f:1:1: error: expected an object, not a number [wrong-type]\n");
  CHECK(reading{R"({"name": 7, "configs": {}})"}.wrong() ==
        "f:1:10: error: expected a string, not a number [wrong-type]\n"
        "f:1:24: error: expected an array, not an object [wrong-type]\n");
  CHECK(reading{R"({"name": "", "configs": [], "$schema": 7, "ops": 7})"}.wrong().empty());
  CHECK(reading{R"({"name": "n", "Configs": [{}], "configs": []})"}.wrong().starts_with(
      "f:1:15: error: Configs is not a known key here, did you mean configs?"));
}

TEST_CASE("of a key that is there twice the first counts") {
  const reading r{R"({"name": "a", "configs": [], "configs": [{"pattern": "nn.ReLU"}],
"name": "b"})"};
  CHECK(r.wrong() ==
        "f:1:30: error: configs is duplicated [duplicate-key]\n"
        "f:2:1: error: name is duplicated [duplicate-key]\n");
  CHECK(r.draft.name == "a");
  CHECK(r.draft.configs.empty());
  const reading inner{R"({"name": "n", "configs": [{"pattern": "nn.ReLU", "pattern": "nn.ELU"}]})"};
  CHECK(inner.wrong() == "f:1:50: error: pattern is duplicated [duplicate-key]\n");
  CHECK(inner.config(0).pattern == pattern<nn::relu>::value);
}

TEST_CASE("an element that is not a config keeps its index") {
  const reading r{R"({"name": "n", "configs": [null, {"pattern": "nn.ReLU"}, []]})"};
  CHECK(r.wrong() ==
        "f:1:27: error: expected an object, not null [wrong-type]\n"
        "f:1:57: error: expected an object, not an array [wrong-type]\n");
  REQUIRE(r.draft.configs.size() == 3);
  CHECK(r.config(1).pattern == pattern<nn::relu>::value);
  CHECK(r.config(2) == backend_pattern_config_record{});
}

TEST_CASE("a chain of one op is that op") {
  CHECK(reading{R"({"name": "n", "configs": [{"pattern": ["nn.ReLU"]}]})"}.config(0).pattern ==
        pattern<nn::relu>::value);
}

TEST_CASE("a chain may begin with what matches all, wherever PyTorch keeps it") {
  const reading r{R"({"name": "n", "configs": [
    {"pattern": ["torch.ao.quantization.MatchAllNode", "nn.ReLU"]},
    {"pattern": "MatchAllNode"}]})"};
  CHECK(r.wrong().empty());
  CHECK(r.config(0).pattern == pattern<nested<nn::relu, match_all>>::value);
  CHECK(r.config(1).pattern == pattern<match_all>::value);
}

TEST_CASE("a nested pattern lies in pre-order") {
  const reading r{R"({"name": "n", "configs": [{"pattern": "nn.ELU"}, {"pattern_complex_format":
    ["nn.ReLU", ["operator.add", ["nn.BatchNorm2d", "nn.Conv2d"], "MatchAllNode"]]}]})"};
  REQUIRE(r.wrong().empty());
  CHECK(r.config(1).pattern ==
        pattern<nested<nn::relu,
                       nested<op::add, nested<nn::batch_norm2d, nn::conv2d>, match_all>>>::value);
  CHECK(subtree(r.config(1).pattern, 0) == r.config(1).pattern.element.size());
}

TEST_CASE("what is not a pattern is a finding") {
  CHECK(wrong("{}") == "f:1:27: error: pattern is missing [missing-key]\n");
  CHECK(wrong(R"({"pattern": null})") ==
        "f:1:39: error: expected an op or a list of ops, not null [wrong-type]\n");
  CHECK(wrong(R"({"pattern": ["nn.ReLU", 7, "nn.Relu"]})") ==
        "f:1:51: error: expected a string, not a number [wrong-type]\n");
  const std::string tree = R"({"pattern_complex_format": )";
  CHECK(wrong(tree + "[]}") == "f:1:54: error: an empty list is not a pattern [pattern-form]\n");
  CHECK(wrong(tree + R"(["nn.ReLU", []]})") ==
        "f:1:66: error: an empty list is not a pattern [pattern-form]\n");
  CHECK(wrong(tree + R"([["nn.ReLU"], "nn.ReLU"]})") ==
        "f:1:55: error: expected a string, not an array [wrong-type]\n");
  CHECK(wrong(tree + R"(["MatchAllNode", "nn.ReLU"]})") ==
        "f:1:55: error: MatchAllNode has no arguments [pattern-form]\n");
  CHECK(wrong(tree + R"(["nn.ReLU", {}]})") ==
        "f:1:66: error: expected an op or a nested list, not an object [wrong-type]\n");
}

TEST_CASE("a pattern of 64 ops is read, one of 65 is a finding") {
  const std::string most = json::repeat(R"("nn.ReLU")", 64);
  for (const std::string key : {"pattern", "pattern_complex_format"}) {
    const std::string most_text = configs("{\"" + key + "\": [" + most + "]}");
    const reading fits{most_text};
    CHECK(fits.wrong().empty());
    CHECK(fits.config(0).pattern.element.size() == 64);
    const std::string more_text = configs("{\"" + key + "\": [" + most + R"(, "nn.ReLU"]})");
    const reading more{more_text};
    CHECK(more.found.size() == 1);
    CHECK(more.wrong().find("more than 64 ops in one pattern [too-many]") != std::string::npos);
    CHECK(more.config(0).pattern.element.empty());
  }
}

TEST_CASE("the limit of a pattern is its own, not that of all before it") {
  const std::string row = R"({"pattern": [)" + json::repeat(R"("nn.ReLU")", 40) + "]}";
  const std::string text = configs(row + ", " + row);
  CHECK(reading{text}.wrong().empty());
}

TEST_CASE("4096 patterns are read, and no more") {
  const std::string row = R"({"pattern": "nn.ReLU"})";
  const std::string most = configs(json::repeat(row, json::max_configs));
  CHECK(reading{most}.found.size() == 0);
  const std::string more = configs(json::repeat(row, json::max_configs) + ",\n" + row);
  const reading r{more};
  CHECK(r.wrong() == "f:2:1: error: more than 4096 patterns [too-many]\n");
  CHECK(r.draft.configs.size() == json::max_configs);
}

TEST_CASE("a file that is broken throughout is not read to its end") {
  const std::string text = configs(json::repeat("7", 4000));
  const reading r{text};
  CHECK(r.found.size() == max_findings);
  CHECK(r.draft.configs.size() == max_findings);
}

TEST_CASE("lists of dtypes are shared if they are the same word by word") {
  const std::string list = R"("dtype_configs": [{"input_dtype": "quint8"}])";
  const std::string spaced = R"("dtype_configs": [{"input_dtype":  "quint8"}])";
  const std::string row = R"({"pattern": "nn.ReLU", )";
  const std::string text = configs(row + list + "}, " + row + spaced + "}, " + row + list + "}");
  const reading r{text};
  REQUIRE(r.wrong().empty());
  CHECK(r.draft.dtype_configs.size() == 2);
  CHECK(r.config(0).dtype_configs.items == r.config(2).dtype_configs.items);
  CHECK(r.config(0).dtype_configs.items != r.config(1).dtype_configs.items);
  CHECK(r.config(0).dtype_configs == r.config(1).dtype_configs);
}

TEST_CASE("a wrong list of dtypes is a finding wherever it is") {
  const std::string row = R"({"pattern": "nn.ReLU", "dtype_configs": [{"input_dtype": 7}]})";
  const std::string text = configs(row + ", " + row);
  CHECK(reading{text}.found.size() == 2);
}

TEST_CASE("lists of dtypes have an end") {
  CHECK(wrong_field(R"("dtype_configs": [)" + json::repeat("{}", 64) + "]").empty());
  CHECK(wrong_field(R"("dtype_configs": [)" + json::repeat("{}", 65) + "]") ==
        "f:1:60: error: more than 64 dtype configs of one pattern [too-many]\n");
  CHECK(wrong_field(R"("dtype_configs": [null])") ==
        "f:1:61: error: expected an object, not null [wrong-type]\n");
}

TEST_CASE("indices that lead nowhere are kept as such") {
  const reading r{R"({"name": "n", "configs": [{"pattern": [], "root_node_getter": [-1, 300, 100],
    "extra_inputs_getter": [[2147483647], [0]]}]})"};
  REQUIRE(r.wrong().empty());
  CHECK(r.config(0).root_node_getter == path<101, 101, 100>::value);
  REQUIRE(r.config(0).extra_inputs_getter.size() == 2);
  CHECK(r.config(0).extra_inputs_getter[0] == path<101>::value);
  CHECK(r.config(0).extra_inputs_getter[1] == path<0>::value);
}

TEST_CASE("a path has 1 to 8 whole indices") {
  CHECK(wrong_field(R"("root_node_getter": [1, 1, 1, 1, 1, 1, 1, 1])").empty());
  CHECK(wrong_field(R"("root_node_getter": [1, 1, 1, 1, 1, 1, 1, 1, 1])") ==
        "f:1:63: error: expected 1 to 8 indices [node-path]\n");
  CHECK(wrong_field(R"("extra_inputs_getter": [[]])") ==
        "f:1:67: error: expected 1 to 8 indices [node-path]\n");
  CHECK(wrong_field(R"("extra_inputs_getter": [1])") ==
        "f:1:67: error: expected an array, not a number [wrong-type]\n");
  CHECK(wrong_field(R"("root_node_getter": [0.5])") ==
        "f:1:64: error: expected a whole number, not 0.5 [wrong-type]\n");
  CHECK(wrong_field(R"("extra_inputs_getter": [)" + json::repeat("[1]", 65) + "]") ==
        "f:1:66: error: more than 64 extra inputs of one pattern [too-many]\n");
}

TEST_CASE("counts of tensor arguments are 0 to 3, each once") {
  const std::string shared = R"("OUTPUT_SHARE_OBSERVER_WITH_INPUT")";
  const std::string text =
      configs(R"({"pattern": [], "num_tensor_args_to_observation_type": {"0": )" + shared +
              R"(, "3": )" + shared + "}}");
  const reading r{text};
  REQUIRE(r.wrong().empty());
  const tensor_args_record by = r.config(0).num_tensor_args_to_observation_type;
  CHECK(by.given == std::array{true, false, false, true});
  CHECK(by.type[3] == observation_type::output_share_observer_with_input);
  for (const std::string key : {"", "/", "4", ":", "00", "-1", "\xC3\xA9"})
    CHECK_MESSAGE(wrong_field("\"num_tensor_args_to_observation_type\": {\"" + key + "\": 7}") ==
                      "f:1:83: error: expected a count of tensor arguments, 0 to 3 "
                      "[unknown-key]\n",
                  key);
  CHECK(wrong_field("\"num_tensor_args_to_observation_type\": {\"1\": " + shared + ", \"1\": 7}") ==
        "f:1:124: error: 1 is duplicated [duplicate-key]\n");
}

TEST_CASE("a fuser is named with or without its module, or is none") {
  const reading r{R"({"name": "n", "configs": [
    {"pattern": [], "fuser_method": "torch.ao.quantization.fuse_conv_bn"},
    {"pattern": [], "fuser_method": null}]})"};
  REQUIRE(r.wrong().empty());
  CHECK(r.config(0).fuser_method == &fuse_conv_bn);
  CHECK(r.config(1).fuser_method == nullptr);
  CHECK(wrong_field(R"("fuser_method": "")") ==
        "f:1:59: error:  is not a known fuser method [unknown-value]\n");
}

TEST_CASE("each overwritten observer is one of its own") {
  const reading r{R"({"name": "n", "configs": [
    {"pattern": [], "overwrite_output_observer": {"class": "NoopObserver"}},
    {"pattern": [], "overwrite_output_observer": null,
     "overwrite_output_fake_quantize": {"class": "FakeQuantize"}}]})"};
  REQUIRE(r.wrong().empty());
  CHECK(r.draft.observers.size() == 2);
  CHECK(r.config(0).overwrite_output_observer[0] == noop_observer<>::value);
  CHECK(r.config(1).overwrite_output_observer.empty());
  CHECK(r.config(1).overwrite_output_fake_quantize[0] ==
        fake_quantize<moving_average_min_max_observer<>>::value);
}

TEST_CASE("a misspelt key of a config is a finding with the most similar key") {
  CHECK(
      wrong_field(R"("root_modul": "nn.ReLU")") ==
      "f:1:43: error: root_modul is not a known key of a pattern config, did you mean root_module? "
      "[unknown-key]\n");
}

TEST_CASE("patterns can name what the table has, declared or not") {
  const std::string text = configs(R"({"pattern": ["nn.Conv2d", "own.swish"]})");
  const reading r{text, ops<builtin, own::swish>::value};
  CHECK(r.wrong().empty());
  CHECK(r.config(0).pattern == pattern<nn::conv2d, own::swish>::value);
}

}  // namespace
