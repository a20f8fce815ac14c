// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/constant_document.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/json/embedded_file.hpp"
#include "parsed.hpp"

using namespace ctq;

namespace {

constexpr embedded_file plain{"plain.json", R"({"a": [1, "b"]})"};
static_assert(json::value_count_v<plain> == 5 && !json::tape_v<plain>.error.any());
static_assert(json::root_of<plain>().find("a").size() == 2);
static_assert(json::root_of<plain>().first().name() == "a");

constexpr embedded_file escaped{"escaped.json",
                                R"({"\u0061\u0062": ["", "\n\"", "c", "\ud83d\ude00"]})"};
constexpr json::element list_of_names = json::root_of<escaped>().first().next();
static_assert(json::root_of<escaped>().first().name() == "ab");
static_assert(list_of_names.first().name().empty());
static_assert(list_of_names.first().next().name() == "\n\"");
static_assert(list_of_names.first().next().next().name() == "c");
static_assert(json::tape_v<escaped>.unescaped == 2 + 2 + 4);

TEST_CASE("names are the same at run time") {
  const json::parsed in{escaped.text};
  const json::element names = in.root().first().next();
  CHECK(in.root().first().name() == "ab");
  CHECK(names.first().next().name() == "\n\"");
  CHECK(names.first().next().next().next().name() == "\xF0\x9F\x98\x80");
  CHECK(names.first().next().text() == R"(\n\")");
}

}  // namespace
