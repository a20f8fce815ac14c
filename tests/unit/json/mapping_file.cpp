// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/mapping_file.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/backends.hpp"
#include "ctq/json/write_mapping.hpp"

using namespace ctq;

namespace {

std::string findings_of(std::string_view text) {
  const json::mapping_file file{text};
  std::string out;
  for (const finding& f : file.found()) {
    json::append_located(out, "f", file.text(), f);
    out += '\n';
  }
  return out;
}

template <class Mapping>
void check_round_trip() {
  std::string text;
  json::append_json(text, mapping_v<Mapping>);
  const json::mapping_file read{text};
  REQUIRE(read.valid());
  REQUIRE(read.view().count == mapping_v<Mapping>.count);
  std::string again;
  json::append_json(again, read.view());
  CHECK(again == text);
}

struct all_levels
    : qconfig_mapping<
          global<qconfig_none>, object_type<fn::relu, default_qconfig_of<x86>>,
          module_name_regex<R"(layer\d\..*)", qconfig_none>, module_name<"fc", qconfig_none>,
          module_name_object_type_order<"layer1", nn::conv2d, 2, default_qconfig_of<x86>>> {};

TEST_CASE("mappings survive the way through JSON") {
  check_round_trip<all_levels>();
  check_round_trip<default_qconfig_mapping<x86>>();
  check_round_trip<default_qconfig_mapping<qnnpack>>();
  check_round_trip<default_qat_qconfig_mapping<fbgemm>>();
  check_round_trip<default_qat_qconfig_mapping<onednn>>();
  check_round_trip<qconfig_mapping<>>();
}

TEST_CASE("all levels are read, names without their escapes") {
  const json::mapping_file file{R"({
    "": null,
    "object_type": [["nn.Linear", {"activation": {"class": "MinMaxObserver", "bins": 7},
                                   "weight": {"class": "NoopObserver"}}]],
    "module_name_regex": [["layer\\d", null]],
    "module_name": [["f\u0063", null]],
    "module_name_object_type_order": [["layer1", "nn.Conv2d", 2, null]]})"};
  REQUIRE(file.valid());
  const mapping_view m = file.view();
  REQUIRE(m.count == 5);
  CHECK(m.entries[0].level == mapping_level::global);
  CHECK_FALSE(m.entries[0].quantizes);
  CHECK(m.entries[1].op == nn::linear.id());
  CHECK(m.entries[1].quantizes);
  CHECK(m.entries[1].qconfig.activation == min_max_observer<{.bins = 7}>::value);
  CHECK(m.entries[1].qconfig.weight == noop_observer<>::value);
  CHECK(m.entries[2].module == R"(layer\d)");
  CHECK(m.entries[3].module == "fc");
  CHECK(m.entries[4].module == "layer1");
  CHECK(m.entries[4].op == nn::conv2d.id());
  CHECK(m.entries[4].order == 2);
}

TEST_CASE("what is left out has PyTorch's default") {
  const json::mapping_file file{R"({"": {"activation": {"class": "PlaceholderObserver"},
                                         "weight": {"class": "PerChannelMinMaxObserver"}}})"};
  REQUIRE(file.view().count == 1);
  const qconfig_record& q = file.view().entries[0].qconfig;
  CHECK(q.activation.args.dtype == f32);
  CHECK(q.weight.args.dtype == quint8);
  CHECK(q.weight.args.qscheme == qscheme::per_channel_affine);
}

TEST_CASE("a finding has the position of the wrong value") {
  CHECK(findings_of(R"({"global": null})") ==
        "f:1:2: error: global is not a known level of a QConfigMapping [unknown-key]\n");
  CHECK(findings_of(R"({"": 7})") ==
        "f:1:6: error: expected an object, not a number [wrong-type]\n");
  CHECK(findings_of(R"({"": {"activation": {"class": "MinMax"}}})") ==
        "f:1:31: error: MinMax is not a known observer [unknown-value]\n"
        "f:1:6: error: weight is missing [missing-key]\n");
  CHECK(findings_of(R"({"module_name": [["fc"]]})") ==
        "f:1:18: error: expected 2 values, not 1 [wrong-type]\n");
  CHECK(findings_of(R"({"module_name": [], "module_name": []})") ==
        "f:1:21: error: module_name is duplicated [duplicate-key]\n");
  CHECK(
      findings_of("{\"module_name_regex\": [[\"a\", null],\n [\"(\", null]]}") ==
      "f:2:3: error: module_name_regex: ( is not a supported regular expression [regex-syntax]\n");
  CHECK(findings_of("{\"object_type\": [[\"nn.Linear\", {\"activation\": {\"class\":\n"
                    "\"MinMaxObserver\", \"quant_max\": 7}, \"weight\": {\"class\": "
                    "\"NoopObserver\"}}]]}")
            .starts_with("f:"));
}

}  // namespace
