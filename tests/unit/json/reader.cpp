// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/reader.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "../user_ops.hpp"
#include "parsed.hpp"

using namespace ctq;

namespace {

static_assert(json::with_article(json::kind::boolean) == "true or false");
static_assert(json::with_article(json::kind::object) == "an object");

static_assert(json::without_module("torch.quint8") == "quint8");
static_assert(json::without_module("torch.ao.quantization.NoopObserver") == "NoopObserver");
static_assert(json::without_module("quint8") == "quint8");
static_assert(json::without_module("quint8.").empty());
static_assert(json::without_module("").empty());

/// Reads a text into a value; returns what is wrong.
template <class T>
std::string read(std::string_view text, T& out, const op_table& table = ops<builtin>::value) {
  const json::parsed in{text};
  findings found;
  json::reader{table, found}.read(in.root(), out);
  return json::printed(found, text);
}

template <class T>
std::string read(std::string_view text) {
  T out{};
  return read(text, out);
}

static_assert([] {
  const json::parsed in{R"({"input_dtype": {"dtype": "torch.qint8", "quant_min_lower_bound": -127},
                            "weight_dtype": "qint8", "is_dynamic": true})"};
  findings found;
  dtype_config_record out;
  json::reader{ops<builtin>::value, found}.read(in.root(), out);
  return found.size() == 0 && out.input_dtype.dtype == qint8 &&
         out.input_dtype.quant_min_lower_bound == optional_int{-127} &&
         out.weight_dtype == dtype_with_constraints_record{.dtype = qint8} && out.is_dynamic;
}());

TEST_CASE("a whole number is one in whatever form it is written") {
  int out = 0;
  CHECK(read("1e2", out).empty());
  CHECK(out == 100);
  CHECK(read("-7.0", out).empty());
  CHECK(out == -7);
  CHECK(read("-0", out).empty());
  CHECK(out == 0);
  CHECK(read("2147483647", out).empty());
  CHECK(out == 2147483647);
}

TEST_CASE("what is not a whole number of the type is rejected and changes nothing") {
  for (const std::string_view text : {"0.5", "2147483648", "-1e10", "1e300", "1e999", "-1e999"}) {
    int out = 42;
    CHECK(read(text, out) ==
          "f:1:1: error: expected a whole number, not " + std::string{text} + " [wrong-type]\n");
    CHECK(out == 42);
  }
  for (const std::string_view text : {"null", "true", R"("1")", "[1]", "{}"}) {
    int out = 42;
    CHECK(read(text, out).starts_with("f:1:1: error: expected a number, not "));
    CHECK(out == 42);
  }
}

TEST_CASE("wide whole numbers go as far as doubles tell them apart") {
  std::int64_t out = 0;
  CHECK(read("-2147483649", out).empty());
  CHECK(out == -2147483649);
  CHECK(read("9007199254740991", out).empty());
  CHECK(out == 9007199254740991);
  CHECK_FALSE(read("9007199254740994", out).empty());
  CHECK_FALSE(read("1e19", out).empty());
  CHECK(out == 9007199254740991);
}

TEST_CASE("a float32 is rounded, and rejected where it would be infinite") {
  float out = 0;
  CHECK(read("0.1", out).empty());
  CHECK(out == 0.1F);
  CHECK(read("3.4028234663852886e38", out).empty());
  CHECK(out == 3.4028234663852886e38F);
  CHECK(read("1e-60", out).empty());
  CHECK(out == 0.0F);
  CHECK(read("-3.5e38", out) == "f:1:1: error: expected a float32, not -3.5e38 [wrong-type]\n");
  CHECK(read("1e999", out) == "f:1:1: error: expected a float32, not 1e999 [wrong-type]\n");
  CHECK(out == 0.0F);
  double wide = 0;
  CHECK(read("3.5e38", wide).empty());
  CHECK(wide == 3.5e38);
}

TEST_CASE("null is Python's None: False, or left out") {
  bool flag = false;
  CHECK(read("null", flag).empty());
  CHECK_FALSE(flag);
  optional_int whole;
  CHECK(read("null", whole).empty());
  CHECK_FALSE(whole.given);
  optional_real real;
  CHECK(read("null", real).empty());
  CHECK_FALSE(real.given);
  dtype type = quint8;
  CHECK(read("null", type).empty());
  CHECK(type == quint8);
  op_id op = nullptr;
  CHECK(read("null", op).empty());
  CHECK(op == nullptr);
  CHECK(read<qscheme>("null") == "f:1:1: error: expected a string, not null [wrong-type]\n");
  CHECK(read<dtype_config_record>("null") ==
        "f:1:1: error: expected an object, not null [wrong-type]\n");
}

TEST_CASE("zero is given, too") {
  optional_int whole;
  CHECK(read("0", whole).empty());
  CHECK(whole == optional_int{0});
  optional_real real;
  CHECK(read("-0.0", real).empty());
  CHECK(real.given);
}

TEST_CASE("a bool is no number and no string") {
  CHECK(read<bool>("0") == "f:1:1: error: expected true or false, not a number [wrong-type]\n");
  CHECK(read<bool>(R"("true")") ==
        "f:1:1: error: expected true or false, not a string [wrong-type]\n");
}

TEST_CASE("names of values stand with or without their module") {
  for (const std::string_view text :
       {R"("qint32")", R"("torch.qint32")", R"("torch.ao.quantization.qint32")"}) {
    dtype out = dtype::none;
    CHECK(read(text, out).empty());
    CHECK(out == qint32);
  }
  qscheme scheme{};
  CHECK(read(R"("torch.per_channel_affine_float_qparams")", scheme).empty());
  CHECK(scheme == qscheme::per_channel_affine_float_qparams);
  observation_type type{};
  CHECK(read(R"("ObservationType.INPUT_OUTPUT_NOT_OBSERVED")", type).empty());
  CHECK(type == observation_type::input_output_not_observed);
}

TEST_CASE("names in another case, empty ones and none are rejected") {
  for (const std::string_view text : {R"("QUINT8")", R"("")", R"("torch.")", R"("none")",
                                      R"("torch.none")", R"(".")", R"("quint8.x")"}) {
    dtype out = f32;
    const std::string wrong = read(text, out);
    CHECK_MESSAGE(wrong.find("[unknown-value]") != std::string::npos, text);
    CHECK(out == f32);
  }
  CHECK(read<dtype>(R"("torch.quint9")") ==
        "f:1:1: error: torch.quint9 is not a known dtype, did you mean quint8? [unknown-value]\n");
}

TEST_CASE("a dtype with constraints is a dtype or an object") {
  dtype_with_constraints_record out;
  CHECK(read("null", out).empty());
  CHECK(out == dtype_with_constraints_record{});
  CHECK(read("{}", out).empty());
  CHECK(out == dtype_with_constraints_record{});
  CHECK(read(R"({"scale_min_lower_bound": 0.5})", out).empty());
  CHECK(out.dtype == dtype::none);
  CHECK(out.scale_min_lower_bound == optional_real{0.5});
  CHECK(read(R"(["quint8"])", out) ==
        "f:1:1: error: expected a dtype or an object, not an array [wrong-type]\n");
}

TEST_CASE("each field is read once, and the first counts") {
  constexpr std::string_view text = R"({"weight": 1, "input": 0, "weight": 2})";
  const json::parsed in{text};
  findings found;
  input_index_record out;
  json::reader{ops<builtin>::value, found}.read_fields(in.root(), out);
  CHECK(json::printed(found, text) == "f:1:27: error: weight is duplicated [duplicate-key]\n");
  CHECK(out == input_index_record{.input = 0, .weight = 1});
}

TEST_CASE("an unknown key is a finding with the most similar key, and the others are read") {
  constexpr std::string_view text = R"({"wieght": 1, "": 2, "bias": 3})";
  const json::parsed in{text};
  findings found;
  input_index_record out;
  json::reader{ops<builtin>::value, found}.read_fields(in.root(), out);
  CHECK(json::printed(found, text) ==
        "f:1:2: error: wieght is not a known key here, did you mean weight? [unknown-key]\n"
        "f:1:15: error:  is not a known key here [unknown-key]\n");
  CHECK(out == input_index_record{.bias = 3});
}

TEST_CASE("unknown keys that the caller claims are left alone") {
  const json::parsed in{R"({"class": [], "observer": "mine", "bias": 1})"};
  findings found;
  input_index_record out;
  json::reader r{ops<builtin>::value, found};
  r.read_fields_with(r, in.root(), out, "key here",
                     [](json::element key) { return key.is("class") || key.is("observer"); });
  CHECK(found.size() == 0);
  CHECK(out == input_index_record{.bias = 1});
}

TEST_CASE("a field of the wrong kind is a finding at its value") {
  CHECK(read<dtype_config_record>(R"({"is_dynamic": "yes", "bias_dtype": 32})") ==
        "f:1:16: error: expected true or false, not a string [wrong-type]\n"
        "f:1:37: error: expected a string, not a number [wrong-type]\n");
}

TEST_CASE("ops are found in the table that is given") {
  op_id op = nullptr;
  CHECK(read(R"("F.relu")", op).empty());
  CHECK(op == fn::relu.id());
  CHECK(read(R"("own.swish")", op).find("own.swish is not a known op") != std::string::npos);
  CHECK(op == nullptr);
  CHECK(read(R"("own.swish")", op, ops<builtin, own::swish>::value).empty());
  CHECK(op == own::swish.id());
  CHECK_FALSE(read(R"("nn.ReLU")", op, ops<own::swish>::value).empty());
}

TEST_CASE("a misspelt abbreviation of an op suggests the full name") {
  CHECK(read<op_id>(R"("nn.Cnov2d")") ==
        "f:1:1: error: nn.Cnov2d is not a known op, did you mean torch.nn.Conv2d? [unknown-op]\n");
  CHECK(read<op_id>(R"("own.swihs")").find("did you mean") == std::string::npos);
  op_id op = nullptr;
  CHECK(
      read(R"("own.swihs")", op, ops<builtin, own::swish>::value).find("did you mean own.swish?") !=
      std::string::npos);
}

TEST_CASE("names without an end are cut, what is said of them is not") {
  const std::string name(5000, 'x');
  const std::string wrong = read<op_id>('"' + name + '"');
  CHECK(wrong == "f:1:1: error: " + name.substr(0, 80) + " is not a known op [unknown-op]\n");
  CHECK(read<dtype>('"' + name + '"').find("xxx is not a known dtype [unknown-value]") !=
        std::string::npos);
  CHECK(read<int>("0." + std::string(5000, '1')).size() < 120);
}

}  // namespace
