// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/describe.hpp"

#include <doctest/doctest.h>

#include <array>

#include "ctq/ops/builtin_ops.hpp"
#include "user_ops.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

// An op that declares nothing but its name has no functions.
static_assert(own::unknown.id()->descriptor->functions.apply == nullptr);
static_assert(own::unknown.id()->descriptor->infer_shape == nullptr);
static_assert(own::unknown.id()->descriptor->schedule.how == schedule_as::nothing);

constexpr const op_functions& functions_of(op_id op) { return op->descriptor->functions; }

static_assert(functions_of(own::swish.id()).tensors == 1 &&
              functions_of(own::swish.id()).elementwise);
static_assert(functions_of(own::square.id()).tensors == 1);
static_assert(functions_of(own::add_swish.id()).tensors == 2);
static_assert(functions_of(own::add_swish.id()).elementwise);
static_assert(!functions_of(own::sum.id()).elementwise && functions_of(own::sum.id()).tensors == 1);
static_assert(functions_of(own::shaped.id()).apply == nullptr);
static_assert(functions_of(own::shaped.id()).tensors == 0);

// Every elementwise op has a form on integers; others if they bring one.
static_assert(functions_of(own::swish.id()).has_integer_form(quint8));
static_assert(functions_of(own::swish.id()).has_integer_form(qint8));
static_assert(!functions_of(own::swish.id()).has_integer_form(f32));
static_assert(functions_of(own::swish.id()).needs_table(quint8));
static_assert(!functions_of(own::add_swish.id()).needs_table(quint8));
static_assert(!functions_of(own::negate.id()).needs_table(quint8));  // has a kernel
static_assert(functions_of(own::negate.id()).needs_table(qint8));
static_assert(functions_of(own::reverse.id()).has_integer_form(qint8));
static_assert(!functions_of(own::sum.id()).has_integer_form(quint8));

// A member that cannot be called is told, with how it could.
static_assert(functions_of(own::swish.id()).problem.empty());
struct op_double : function_op<op_double> {
  static constexpr std::string_view name = "own.double";
  static double apply(double x) { return x; }
};
struct op_not_static : function_op<op_not_static> {
  static constexpr std::string_view name = "own.not_static";
  float apply(float x) const { return x; }  // NOLINT
};
struct op_two_inputs : function_op<op_two_inputs> {
  static constexpr std::string_view name = "own.two_inputs";
  static float apply(float x) { return x; }
  static void run(tensor_ref<const std::uint8_t>, tensor_ref<const std::uint8_t>,
                  tensor_ref<std::uint8_t>) {}
};
struct op_both : function_op<op_both> {
  static constexpr std::string_view name = "own.both";
  static float apply(float x) { return x; }
  static constexpr shape infer_shape(view<shape> in, const no_options&, diagnostic&) {
    return in[0];
  }
};
static_assert(functions_of(op_double::id()).problem.starts_with("apply must be static"));
static_assert(functions_of(op_not_static::id()).problem.starts_with("apply must be static"));
static_assert(functions_of(op_two_inputs::id()).problem.starts_with("run must be static"));
static_assert(functions_of(op_both::id()).problem.starts_with("infer_shape is for functions"));

// Each op is called as its kind, with its options.
static_assert(own::add_swish("a"_n, "b"_n, {.beta = 2.0F}).args[1] == "b");
static_assert(own::add_swish("a"_n, "b"_n, {.beta = 2.0F}).attrs.as<own::swish_options>().beta ==
              2.0F);

template <class Op>
std::array<float, 3> applied(const Op&, const attributes& options, std::array<float, 3> x,
                             std::array<float, 3> y = {}) {
  std::array<float, 3> out{};
  Op::id()->descriptor->functions.apply(
      {.in = {{x.data(), {3}}, {y.data(), {3}}}, .out = {out.data(), {3}}}, options);
  return out;
}

TEST_CASE("apply is called for each element, with the options of the node") {
  CHECK(applied(own::square, {}, {1, -2, 3}) == std::array<float, 3>{1, 4, 9});
  const attributes beta{own::swish_options{0.0F}};
  CHECK(applied(own::swish, beta, {1, -2, 3}) == std::array<float, 3>{0.5F, -1, 1.5F});
  CHECK(applied(own::add_swish, beta, {1, -2, 3}, {1, 1, 1}) ==
        std::array<float, 3>{1.5F, 0, 2.5F});
}

TEST_CASE("a function of tensors sees their shapes") {
  const std::array<float, 6> x = {1, 2, 3, 4, 5, 6};
  std::array<float, 2> y{};
  own::sum.id()->descriptor->functions.apply({.in = {{x.data(), {2, 3}}}, .out = {y.data(), {2}}},
                                             {});
  CHECK(y == std::array<float, 2>{6, 15});
}

// ---- the instruction set as a tag, with and without options

struct op_tagged : function_op<op_tagged, own::swish_options> {
  static constexpr std::string_view name = "own.tagged";
  static float apply(float x, const own::swish_options&) { return x; }
  static void run(isa::scalar, tensor_ref<const std::int8_t>, tensor_ref<std::int8_t> y) {
    y[0] = 1;
  }
  static void run(isa::sse4, tensor_ref<const std::int8_t>, tensor_ref<std::int8_t> y) { y[0] = 2; }
};

struct op_templated : function_op<op_templated, own::swish_options> {
  static constexpr std::string_view name = "own.templated";
  static float apply(float x) { return x; }
  template <class Isa, class Q>
  static void run(Isa, tensor_ref<const Q> x, tensor_ref<Q> y, const own::swish_options& o) {
    y[0] = static_cast<Q>(x[0] + static_cast<Q>(o.beta));
  }
};

TEST_CASE("the best kernel for the instruction set is taken") {
  const op_functions& h = op_tagged::id()->descriptor->functions;
  CHECK(!h.has_run(quint8));
  std::int8_t y = 0;
  h.run<std::int8_t>()({.in = {}, .out = {&y, {1}}}, {});
  CHECK(y == (isa::includes<isa::native, isa::sse4> ? 2 : 1));
}

TEST_CASE("a kernel may be a template over the instruction set and the integer") {
  const op_functions& h = op_templated::id()->descriptor->functions;
  const std::uint8_t x = 40;
  std::uint8_t y = 0;
  h.run<std::uint8_t>()({.in = {{&x, {1}}}, .out = {&y, {1}}},
                        attributes{own::swish_options{2.0F}});
  CHECK(y == 42);
  CHECK(h.has_run(qint8));
}

// ---- derivatives

struct op_cube : function_op<op_cube, own::swish_options> {
  static constexpr std::string_view name = "own.cube";
  static float apply(float x, const own::swish_options& o) { return o.beta * x * x * x; }
  static float gradient(float x, const own::swish_options& o) { return 3.0F * o.beta * x * x; }
};
struct op_scaled : binary_op<op_scaled> {
  static constexpr std::string_view name = "own.scaled";
  static float apply(float x, float y) { return 2.0F * x * y; }
  static slopes_of_two gradient(float x, float y) { return {2.0F * y, 2.0F * x}; }
};
struct op_wrong_gradient : function_op<op_wrong_gradient> {
  static constexpr std::string_view name = "own.wrong_gradient";
  static float apply(float x) { return x; }
  static double gradient(float) { return 1.0; }
};
static_assert(has_gradient(*op_cube::id()->descriptor));
static_assert(has_gradient(*op_scaled::id()->descriptor));
static_assert(!has_gradient(*own::swish.id()->descriptor));
static_assert(functions_of(op_wrong_gradient::id()).problem.starts_with("gradient must be static"));

TEST_CASE("derivatives are multiplied by the gradient of the output, and added") {
  const float x[2]{2.0F, -1.0F}, y[2]{5.0F, 3.0F}, grad_out[2]{1.0F, 10.0F};
  float grad_x[2]{100.0F, 100.0F}, grad_y[2]{};
  op_cube::id()->descriptor->functions.add_gradient(
      {.in = {{x, {2}}}, .grad_out = grad_out, .grad_in = {grad_x}},
      attributes{own::swish_options{0.5F}});
  CHECK(grad_x[0] == 106.0F);
  CHECK(grad_x[1] == 115.0F);
  op_scaled::id()->descriptor->functions.add_gradient(
      {.in = {{x, {2}}, {y, {2}}}, .grad_out = grad_out, .grad_in = {nullptr, grad_y}}, {});
  CHECK(grad_y[0] == 4.0F);
  CHECK(grad_y[1] == -20.0F);
}

}  // namespace
