// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/write_mapping.hpp"

#include <doctest/doctest.h>

#include <string>

#include "parsed.hpp"

using namespace ctq;

namespace {

template <class... Entry>
std::string written() {
  std::string text;
  json::append_json(text, mapping_v<qconfig_mapping<Entry...>>);
  return text;
}

using noops = qconfig<noop_observer<>, noop_observer<>>;
constexpr std::string_view noops_text =
    R"({"activation": {"class": "NoopObserver"}, "weight": {"class": "NoopObserver"}})";

struct two_levels : qconfig_mapping<module_name<"fc", qconfig_none>, global<noops>> {};
static_assert([] {
  static_text<200> text;
  json::append_json(text, mapping_v<two_levels>);
  static_text<200> expected;
  append_all(expected, "{\n  \"\": ", noops_text,
             ",\n  \"module_name\": [\n    [\"fc\", null]\n  ]\n}\n");
  return text.view() == expected.view();
}());

TEST_CASE("a mapping without entries is an empty object") { CHECK(written<>() == "{}\n"); }

TEST_CASE("a global entry alone needs no comma") {
  CHECK(written<global<qconfig_none>>() == "{\n  \"\": null\n}\n");
}

TEST_CASE("levels have PyTorch's order, entries of a level that of the mapping") {
  CHECK(written<module_name_object_type_order<"m", nn::conv2d, 2, qconfig_none>,
                object_type<nn::relu, qconfig_none>, module_name<"b", qconfig_none>,
                object_type<fn::relu, qconfig_none>, module_name<"a", qconfig_none>>() ==
        "{\n"
        "  \"object_type\": [\n"
        "    [\"torch.nn.ReLU\", null],\n"
        "    [\"torch.nn.functional.relu\", null]\n"
        "  ],\n"
        "  \"module_name\": [\n"
        "    [\"b\", null],\n"
        "    [\"a\", null]\n"
        "  ],\n"
        "  \"module_name_object_type_order\": [\n"
        "    [\"m\", \"torch.nn.Conv2d\", 2, null]\n"
        "  ]\n"
        "}\n");
}

TEST_CASE("names are escaped as JSON wants them") {
  CHECK(written<module_name_regex<"a\\d\"\n", qconfig_none>>() ==
        "{\n  \"module_name_regex\": [\n    [\"a\\\\d\\\"\\n\", null]\n  ]\n}\n");
}

TEST_CASE("an entry of no level is not written") {
  const mapping_entry none{};
  std::string text;
  json::append_json(text, mapping_view{&none, 1});
  CHECK(text == "{}\n");
}

TEST_CASE("an observer for the output is written where there is one") {
  using in_floats = qconfig<min_max_observer<>, min_max_observer<>, placeholder_observer<>>;
  CHECK(written<global<in_floats>>().find("\"output\": {\"class\": \"PlaceholderObserver\"") !=
        std::string::npos);
}

TEST_CASE("what is written is JSON") {
  const std::string text = written<object_type<nn::relu, noops>, global<noops>>();
  const json::document d = json::parse(text.data(), text.size());
  REQUIRE_FALSE(d.error.any());
  CHECK(d.root(text.data()).find("").text() == noops_text);
  CHECK(d.root(text.data()).find("object_type").first().first().next().text() == noops_text);
}

}  // namespace
