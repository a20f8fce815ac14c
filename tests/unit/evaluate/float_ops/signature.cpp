// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/signature.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ctq::float_ops;

namespace {

constexpr python_signature text{"input, weight, bias=None, *, stride=1, mode='zeros'"};

static_assert(find_parameter(text, "input").default_text.empty());
static_assert(find_parameter(text, "bias").default_text == "None");
static_assert(!find_parameter(text, "bias").keyword_only);
static_assert(find_parameter(text, "stride").keyword_only);
static_assert(find_parameter(text, "mode").default_text == "'zeros'");
static_assert(find_parameter(text, "groups").name.empty());
static_assert(find_parameter({"input, *dims"}, "dims").takes_rest);

constexpr python_signature pool{"input, ..., return_indices=False",
                                &ctq::fields_of<ctq::max_pool2d_options>};

static_assert(find_parameter(pool, "padding").option != nullptr);
static_assert(find_parameter(pool, "return_indices").default_text == "False");

constexpr python_signature module{.parameters = "input, weight", .inputs = "input, size=None"};

static_assert(find_parameter(module, "size").default_text == "None");

}  // namespace

TEST_CASE("options are parameters, with the defaults of their struct") {
  std::string names;
  for (parameter_reader p(pool); p.next();) names += std::string(p.current().name) + " ";
  CHECK(names == "input kernel_size stride padding dilation ceil_mode return_indices ");
  const auto of = [](std::string_view name) {
    return python_value(pool.options->defaults, *find_parameter(pool, name).option);
  };
  CHECK(of("kernel_size").is<none>());
  CHECK(of("stride").is<none>());
  CHECK(as_integer(of("padding")) == 0);
  CHECK(as_integer(of("dilation")) == 1);
  CHECK_FALSE(*of("ceil_mode").get_if<bool>());
  const ctq::attributes given{ctq::max_pool2d_options{.kernel_size = {2, 3}}};
  CHECK(python_value(given, *find_parameter(pool, "kernel_size").option).get_if<list>()->size() ==
        2);
}

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
