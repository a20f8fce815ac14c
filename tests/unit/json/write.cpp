// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/write.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "ctq/json/document.hpp"

using namespace ctq::json;

namespace {

/// One entry of a backend, as to_json writes it.
template <class Text>
constexpr void write_config(Text& out) {
  writer json{out};
  json.object([&] {
    json.member("pattern", "torch.nn.Conv2d");
    json.member("observation_type", std::string_view{"OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT"});
    json.key("dtype_configs").array([&] {
      for (const bool dynamic : {false, true}) {
        json.object([&] {
          json.key("input_dtype").object([&] {
            json.member("dtype", "quint8");
            json.member("quant_max_upper_bound", 127);
            json.member("scale_min_lower_bound", 0x1p-12);
          });
          json.member("is_dynamic", dynamic);
        });
      }
    });
    json.key("fuser_method").null();
    json.key("indices").array([&] { json.value(0).value(-1).value(INT64_MAX); });
    json.key("empty").array([] {}).key("none").object([] {});
    json.key("copied").verbatim("[1,  2]");
  });
}

constexpr std::string_view config =
    R"({"pattern": "torch.nn.Conv2d", )"
    R"("observation_type": "OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT", )"
    R"("dtype_configs": [{"input_dtype": {"dtype": "quint8", "quant_max_upper_bound": 127, )"
    R"("scale_min_lower_bound": 0.000244140625}, "is_dynamic": false}, )"
    R"({"input_dtype": {"dtype": "quint8", "quant_max_upper_bound": 127, )"
    R"("scale_min_lower_bound": 0.000244140625}, "is_dynamic": true}], "fuser_method": null, )"
    R"("indices": [0, -1, 9223372036854775807], "empty": [], "none": {}, "copied": [1,  2]})";

static_assert([] {
  ctq::static_text<1000> t;
  write_config(t);
  return t.view() == config;
}());

/// Writes again what was read. Strings go through as they stood.
template <class Text>
constexpr void copy(writer<Text>& out, element e) {
  switch (e.type()) {
    case kind::array:
      out.array([&] {
        for (const element each : e.elements()) copy(out, each);
      });
      return;
    case kind::object:
      out.object([&] {
        for (const auto [key, value] : e.members()) {
          out.key(key.text());
          copy(out, value);
        }
      });
      return;
    case kind::string: out.plain({}, e.text()); return;
    default: out.verbatim(e.text());
  }
}

static_assert([] {
  constexpr std::string_view text = R"({"a": ["\u00e9\"", 1e-07, null, [[], {}], true]})";
  ctq::static_text<100> t;
  writer out{t};
  copy(out, parse(text.data(), text.size()).root(text.data()));
  return t.view() == text;
}());

TEST_CASE("a writer puts commas and colons as Python's json.dumps does") {
  std::string out;
  write_config(out);
  CHECK(out == config);
}

TEST_CASE("a value alone is a text, too") {
  const auto written = [](const auto& v) {
    std::string out;
    writer{out}.value(v);
    return out;
  };
  CHECK(written(true) == "true");
  CHECK(written(-5) == "-5");
  CHECK(written(std::uint8_t{200}) == "200");
  CHECK(written(1.0) == "1.0");
  CHECK(written(0.5F) == "0.5");
  CHECK(written("a\n") == R"("a\n")");
  CHECK(written(std::string{"b"}) == R"("b")");
}

TEST_CASE("names without anything to escape may go through as they are") {
  std::string out;
  writer json{out};
  json.object([&] {
    json.plain_key("op").plain("torch.nn.", "Linear");
    json.plain_key("root").plain({}, "Linear");
  });
  CHECK(out == R"({"op": "torch.nn.Linear", "root": "Linear"})");
}

TEST_CASE("keys are escaped") {
  std::string out;
  writer json{out};
  json.object([&] { json.member("a\"b", 1); });
  CHECK(out == R"({"a\"b": 1})");
}

}  // namespace
