// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/to_json.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/backends.hpp"

using namespace ctq;

namespace {

struct tiny : backend_config<"tiny", backend_pattern_config<pattern<nn::relu>>> {};

static_assert(to_json<tiny>() ==
              "{\n"
              "  \"name\": \"tiny\",\n"
              "  \"configs\": [\n"
              "    {\"pattern\": \"torch.nn.ReLU\", \"observation_type\": "
              "\"OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT\", \"dtype_configs\": []}\n"
              "  ]\n"
              "}\n");

struct renamed : tiny::set<"renamed"> {};
static_assert(to_json<renamed>().substr(0, 24) == "{\n  \"name\": \"renamed\",\n ");

// Counting is writing without a place to write to.
static_assert(file_parts::json_size<tiny>() == to_json<tiny>().size());
static_assert([] {
  text_length length;
  length.append("");
  length.append("abc");
  length.append({});
  return length.count == 3;
}());
static_assert([] {
  char to[3]{};
  file_parts::text_into out{to};
  out.append("a");
  out.append({});
  out.append("bc");
  return to[0] == 'a' && to[2] == 'c' && out.to == to + 3;
}());

TEST_CASE("a backend has one text, wherever it is asked for") {
  CHECK(to_json<tiny>().data() == to_json<tiny>().data());
}

TEST_CASE("a whole backend of PyTorch is the same text compiled and at run time") {
  std::string text;
  json::append_json(text, backend_v<qnnpack>);
  CHECK(to_json<qnnpack>() == text);
}

}  // namespace
