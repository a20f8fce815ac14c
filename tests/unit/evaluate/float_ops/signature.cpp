// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/signature.hpp"

#include <doctest/doctest.h>

using namespace ctq::float_ops;

namespace {

constexpr std::string_view text = "input, weight, bias=None, *, stride=1, mode='zeros'";

static_assert(find_parameter(text, "input").default_text.empty());
static_assert(find_parameter(text, "bias").default_text == "None");
static_assert(!find_parameter(text, "bias").keyword_only);
static_assert(find_parameter(text, "stride").keyword_only);
static_assert(find_parameter(text, "mode").default_text == "'zeros'");
static_assert(find_parameter(text, "groups").name.empty());
static_assert(find_parameter("input, *dims", "dims").takes_rest);

}  // namespace

TEST_CASE("a default is read as Python reads it") {
  CHECK(literal("None").is<none>());
  CHECK(*literal("True").get_if<bool>());
  CHECK_FALSE(*literal("False").get_if<bool>());
  CHECK(as_integer(literal("-1")) == -1);
  CHECK(as_real(literal("1e-05")) == 1e-5);
  CHECK(literal("1.0").is<double>());
  CHECK(*literal("'mean'").get_if<std::string>() == "mean");
  CHECK(literal("()").get_if<list>()->empty());
}

TEST_CASE("parameters come in order") {
  std::string names;
  for (parameter_reader p(text); p.next();) names += std::string(p.current().name) + " ";
  CHECK(names == "input weight bias stride mode ");
}
