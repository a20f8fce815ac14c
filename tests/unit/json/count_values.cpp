// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/count_values.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace ctq;

namespace {

constexpr std::size_t count(std::string_view text) {
  return json::count_values(text.data(), text.size());
}
static_assert(count("7") == 1 && count("[]") == 1 && count("[ \n]") == 1 && count("[1, 2]") == 3);
static_assert(count(R"({"a": {"b,:[{\"": null}})") == 5);

}  // namespace

TEST_CASE("an unfinished text has at least the values before its end") {
  CHECK(count("") == 1);
  CHECK(count("[1, \"a") >= 2);
}
