// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/op.hpp"

#include <doctest/doctest.h>

#include <concepts>

using namespace ctq;
using namespace ctq::literals;

namespace {

static_assert(is_integer(-7.0F) && is_integer(0x1p24F) && is_integer(-0x1p127F) &&
              is_integer(-0.0F));
static_assert(!is_integer(__builtin_huge_valf()) && !is_integer(-__builtin_huge_valf()));
static_assert(!is_integer(0.5F) && !is_integer(-4194304.5F) && !is_integer(__builtin_nanf("")));

// Ops of a user: an identity and its arguments.
struct swish_op : module_op<swish_op> {
  static constexpr std::string_view name = "my.Swish";
};
struct scale_options {
  int in_features{};
  int out_features{};
};
struct scale_op : function_op<scale_op, scale_options> {
  static constexpr std::string_view name = "my.scale";
};
struct twice_named_op : module_op<twice_named_op> {
  static constexpr std::string_view name = "my.Swish";
};
struct mul_op : binary_op<mul_op> {
  static constexpr std::string_view name = "my.mul";
};
inline constexpr swish_op swish{};
inline constexpr scale_op scale{};
inline constexpr mul_op mul{};

static_assert(swish.id() == swish_op::id());
static_assert(swish.id() != scale.id());
static_assert(swish.id() != twice_named_op::id());  // the type is the identity, not the name
static_assert(swish.id()->name == "my.Swish" && swish.id()->kind == op_kind::module);
static_assert(scale.id()->kind == op_kind::function);
static_assert(id_or_null(scale) == scale.id() && id_or_null(5) == nullptr);

constexpr auto fc = scale("x"_n, {.in_features = 3, .out_features = 4});
constexpr auto row = "fc"_n = fc;
static_assert(row.name == "fc");
static_assert(row.value.op == scale.id() && row.value.args[0] == "x");
static_assert(row.value.attrs.as<scale_options>().out_features == 4);

static_assert(std::same_as<decltype(swish("x"_n)), call<1>>);
static_assert(std::same_as<decltype(swish()), call<0>>);  // of a sequential
static_assert(mul("a"_n, "b"_n).args[0] == "a" && mul("a"_n, "b"_n).args[1] == "b");

TEST_CASE("the identity of an op is one address in all of the program") {
  const op_id at_run_time = swish.id();
  CHECK(at_run_time == swish_op::id());
  CHECK(at_run_time->name == "my.Swish");
}

}  // namespace
