// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/write_backend.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../user_ops.hpp"
#include "parsed.hpp"

using namespace ctq;

namespace {

template <class Config>
std::string row() {
  std::string text;
  json::dtype_texts dtypes;
  json::config_writer<std::string>{text, dtypes}.config(Config::value);
  return text;
}

/// The row of a pattern, from its dtype_configs on.
template <class... Part>
std::string rest() {
  const std::string text = row<backend_pattern_config<pattern<nn::relu>, Part...>>();
  return text.substr(text.find("\"dtype_configs\""));
}

template <class Pattern>
std::string pattern_text() {
  const std::string text = row<backend_pattern_config<Pattern>>();
  return text.substr(0, text.find(", \"observation_type\""));
}

template <class Backend>
std::string written() {
  std::string text;
  json::append_json(text, backend_v<Backend>);
  return text;
}

struct empty : backend_config<"empty"> {};
static_assert([] {
  static_text<100> text;
  json::append_json(text, backend_v<empty>);
  return text.view() == "{\n  \"name\": \"empty\",\n  \"configs\": [\n  ]\n}\n";
}());

static_assert(json::user_ops(backend_v<empty>).empty());

TEST_CASE("what is at its default is left out, but for two keys") {
  CHECK(row<backend_pattern_config<pattern<nn::relu>>>() ==
        R"({"pattern": "torch.nn.ReLU", )"
        R"("observation_type": "OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT", "dtype_configs": []})");
}

TEST_CASE("a chain is flat, all else is nested") {
  CHECK(pattern_text<pattern<nn::conv2d, nn::batch_norm2d, nn::relu>>() ==
        R"({"pattern": ["torch.nn.Conv2d", "torch.nn.BatchNorm2d", "torch.nn.ReLU"])");
  // A tree in which nothing branches is a chain.
  CHECK(pattern_text<pattern<nested<nn::relu, nn::conv2d>>>() ==
        R"({"pattern": ["torch.nn.Conv2d", "torch.nn.ReLU"])");
  CHECK(pattern_text<pattern<nested<op::add, nn::conv2d, match_all>, nn::relu>>() ==
        R"({"pattern_complex_format": ["torch.nn.ReLU", )"
        R"(["_operator.add", "torch.nn.Conv2d", "MatchAllNode"]])");
  CHECK(pattern_text<pattern<match_all>>() == R"({"pattern_complex_format": "MatchAllNode")");
  CHECK(pattern_text<pattern<nested<nn::relu, match_all>>>() ==
        R"({"pattern_complex_format": ["torch.nn.ReLU", "MatchAllNode"])");
}

TEST_CASE("a dtype without constraints is its name") {
  using act = dtype_with_constraints<quint8>;
  using weights = dtype_with_constraints<qint8, quant_min<-127>, scale_min<0x1p-12>>;
  using exact = dtype_with_constraints<quint8, exact_qparams<0x1p-8, 0>>;
  CHECK(rest<dtype_configs<dtype_config<>, dtype_config<input_dtype<act>, weight_dtype<weights>,
                                                        bias_dtype<f32>, is_dynamic>>>() ==
        R"("dtype_configs": [{}, {"input_dtype": "torch.quint8", "weight_dtype": )"
        R"({"dtype": "torch.qint8", "quant_min_lower_bound": -127, )"
        R"("scale_min_lower_bound": 0.000244140625}, "bias_dtype": "torch.float32", )"
        R"("is_dynamic": true}]})");
  // A bound of zero is one.
  CHECK(rest<dtype_configs<dtype_config<output_dtype<exact>>>>() ==
        R"("dtype_configs": [{"output_dtype": {"dtype": "torch.quint8", )"
        R"("scale_exact_match": 0.00390625, "zero_point_exact_match": 0}}]})");
}

TEST_CASE("what few configs have comes last, in PyTorch's order") {
  constexpr node_path paths[] = {path<1, 1>::value, path<0>::value};
  constexpr observer_record noop = noop_observer<>::value;
  backend_pattern_config_record c{.pattern = pattern<nn::relu>::value,
                                  .fused_module = nni::conv_relu2d.id(),
                                  .fuser_method = &fuse_conv_bn,
                                  .root_node_getter = path<1, 2>::value,
                                  .extra_inputs_getter = {paths, 2},
                                  .input_type_to_index = {.weight = 0},
                                  .input_output_observed = observed::yes,
                                  .overwrite_output_observer = {&noop, 1}};
  c.num_tensor_args_to_observation_type.given[0] = true;
  std::string text;
  json::dtype_texts dtypes;
  json::config_writer<std::string>{text, dtypes}.config(c);
  CHECK(text.substr(text.find("\"fused")) ==
        R"("fused_module": "torch.ao.nn.intrinsic.ConvReLU2d", "fuser_method": "fuse_conv_bn", )"
        R"("root_node_getter": [1, 2], "extra_inputs_getter": [[1, 1], [0]], )"
        R"("num_tensor_args_to_observation_type": )"
        R"({"0": "OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT"}, )"
        R"("input_type_to_index": {"weight": 0}, "input_output_observed": true, )"
        R"("overwrite_output_observer": {"class": "NoopObserver"}})");
}

TEST_CASE("one list of dtypes is put into words once, an equal one elsewhere again") {
  constexpr dtype_config_record quantized[] = {{.is_dynamic = true}, {}};
  constexpr dtype_config_record same[] = {{.is_dynamic = true}, {}};
  json::dtype_texts texts;
  const std::string_view first = texts.of({quantized, 2});
  CHECK(first == R"([{"is_dynamic": true}, {}])");
  CHECK(texts.of({quantized, 1}) == R"([{"is_dynamic": true}])");
  CHECK(texts.of({}) == "[]");
  CHECK(texts.of({same, 2}) == first);
  CHECK(texts.of({same, 2}).data() != first.data());
  // What was given stays where it is, however many follow.
  dtype_config_record many[50];
  for (const dtype_config_record& d : many) static_cast<void>(texts.of({&d, 1}));
  CHECK(texts.of({quantized, 2}).data() == first.data());
}

struct with_own
    : backend_config<"own", backend_pattern_config<pattern<own::swish, own::square, own::swish>>,
                     backend_pattern_config<pattern<nn::linear>, root_module<own::negate>,
                                            fused_module<own::square>>> {};

TEST_CASE("ops of the user's own are declared, each once, with their kind") {
  const list<op_id> own = json::user_ops(backend_v<with_own>);
  REQUIRE(own.size() == 3);
  CHECK(own[0] == own::swish.id());
  CHECK(own[1] == own::square.id());
  CHECK(own[2] == own::negate.id());
  CHECK(written<with_own>().starts_with(
      "{\n  \"name\": \"own\",\n  \"ops\": [{\"name\": \"own.swish\", \"kind\": \"function\"}, "
      "{\"name\": \"own.Square\", \"kind\": \"module\"}, "
      "{\"name\": \"own.negate\", \"kind\": \"function\"}],\n  \"configs\": ["));
}

TEST_CASE("what is written is JSON, one line a pattern") {
  const std::string text = written<with_own>();
  const json::document d = json::parse(text.data(), text.size());
  REQUIRE_FALSE(d.error.any());
  const json::element configs = d.root(text.data()).find("configs");
  CHECK(configs.size() == 2);
  for (const json::element e : configs.elements()) {
    CHECK(text.substr(e.at() - 5, 5) == "\n    ");
    CHECK(e.text().find('\n') == std::string::npos);
  }
}

}  // namespace
