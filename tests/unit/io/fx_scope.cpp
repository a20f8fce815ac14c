// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/fx_scope.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ctq/io/read_fx.hpp"

using namespace ctq;

static_assert(common_module("a.b.c", "a.b.d") == "a.b");
static_assert(common_module("a.b", "a.bc") == "a");
static_assert(common_module("a.b", "a.b") == "a.b");
static_assert(common_module("a", "b").empty());

namespace {

std::string row(const std::string& name, const std::string& op, const std::string& target,
                const std::string& from) {
  return R"({"name": ")" + name + R"(", "op": ")" + op + R"(", "target": ")" + target +
         R"(", "args": [{"n": ")" + from + R"("}], "module": {"type": "nn.Linear"}},)";
}

/// The scope of the node of that name in a chain x -> …
std::string scope_in(std::string rows, std::string_view name) {
  rows.pop_back();
  const auto read =
      read_fx(R"([{"name": "x", "op": "placeholder", "target": "x", "args": []},)" + rows + "]");
  REQUIRE(read.has_value());
  const int at = find(read->view(), name);
  return std::string(read->view()[at].row->scope);
}

}  // namespace

TEST_CASE("a function between two modules lies in the deepest module around both") {
  const std::string chain =
      row("a", "call_module", "s1.fc1", "x") + row("r", "call_function", "F.relu", "a") +
      row("b", "call_module", "s1.fc2", "r") + row("t", "call_method", "tanh", "b") +
      row("c", "call_module", "s2.fc1", "t");
  CHECK(scope_in(chain, "r") == "s1");
  CHECK(scope_in(chain, "t").empty());
  CHECK(scope_in(chain, "b") == "s1");
}

TEST_CASE("modules are seen through other functions") {
  const std::string chain =
      row("a", "call_module", "m.s.fc1", "x") + row("r", "call_function", "F.relu", "a") +
      row("t", "call_method", "tanh", "r") + row("b", "call_module", "m.u.fc2", "t");
  CHECK(scope_in(chain, "r") == "m");
  CHECK(scope_in(chain, "t") == "m");
}

TEST_CASE("a function with modules on one side only lies where they do") {
  const std::string chain =
      row("a", "call_module", "s.fc", "x") + row("r", "call_function", "F.relu", "a");
  CHECK(scope_in(chain, "r") == "s");
}
