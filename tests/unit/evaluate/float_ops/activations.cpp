// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/activations.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include "run_op.hpp"

using namespace ctq;
using namespace ctq::float_ops;
using run_op::cause;
using run_op::check_near;
using run_op::floats;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

const tensor points{{9}, {-30.0F, -3.0F, -1.5F, -0.25F, 0.0F, 0.25F, 1.5F, 3.0F, 30.0F}};

template <class Op>
result<value> run(const Op& op, std::vector<value> given, std::vector<named_value> keywords = {}) {
  python_call c{.positional = std::move(given), .keywords = std::move(keywords)};
  bool has_row = false;
  for (const float_op& f : implementation::activations)
    has_row = has_row || is_named(op.id()->name, f.names);
  if (!has_row)
    return run_op::run({{}, "input, ...", implementation::elementwise}, op.id(), std::move(c));
  return run_op::run(implementation::activations, op, std::move(c));
}

/// The op at each point is the formula in double.
template <class Op, class F>
void check(const Op& op, F formula, std::vector<named_value> keywords = {}) {
  CAPTURE(op.id()->name);
  std::vector<double> wanted;
  for (const float x : points.data) wanted.push_back(formula(static_cast<double>(x)));
  check_near(floats(run(op, {points}, std::move(keywords))), points.shape, wanted);
}

}  // namespace

TEST_CASE("activations are the formulas of PyTorch's documentation") {
  check(fn::relu, [](double x) { return x > 0 ? x : 0; });
  check(fn::relu6, [](double x) { return std::fmin(std::fmax(x, 0), 6); });
  check(fn::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); });
  check(fn::tanh, [](double x) { return std::tanh(x); });
  check(fn::silu, [](double x) { return x / (1 + std::exp(-x)); });
  check(fn::hardsigmoid, [](double x) { return std::fmin(std::fmax(x / 6 + 0.5, 0), 1); });
  check(fn::hardswish, [](double x) { return x * std::fmin(std::fmax(x + 3, 0), 6) / 6; });
  check(fn::mish, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); });
  check(fn::log_sigmoid, [](double x) { return -std::log1p(std::exp(-x)); });
  check(fn::selu, [](double x) {
    return 1.0507009873554804934193349852946 *
           (x > 0 ? x : 1.6732632423543772848170429916717 * std::expm1(x));
  });
  check(fn::gelu, [](double x) { return x * std::erfc(-x / std::sqrt(2.0)) / 2; });
  check(fn::gelu,
        [](double x) {
          return x / 2 *
                 (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (x + 0.044715 * x * x * x)));
        },
        {{"approximate", "tanh"}});
  check(fn::exp, [](double x) { return std::exp(x); });
  check(fn::square, [](double x) { return x * x; });
}

TEST_CASE("slopes, bounds and thresholds are those of the call") {
  check(fn::leaky_relu, [](double x) { return x > 0 ? x : 0.125 * x; },
        {{"negative_slope", 0.125}});
  check(fn::elu, [](double x) { return x > 0 ? x : 2.5 * std::expm1(x); }, {{"alpha", 2.5}});
  check(fn::hardtanh, [](double x) { return std::fmin(std::fmax(x, -2), 0.5); },
        {{"min_val", -2}, {"max_val", 0.5}});
  check(fn::clamp, [](double x) { return std::fmax(x, -2); }, {{"min", -2}});
  check(fn::clamp, [](double x) { return std::fmin(x, 0.5); }, {{"max", 0.5}});
  check(fn::softplus, [](double x) { return 2 * x > 4 ? x : std::log1p(std::exp(2 * x)) / 2; },
        {{"beta", 2}, {"threshold", 4}});
}

TEST_CASE("where the lower bound is above the upper one, the upper one wins") {
  CHECK(floats(run(fn::clamp, {points}, {{"min", 2}, {"max", -1}})).data ==
        std::vector<float>(9, -1.0F));
}

TEST_CASE("prelu has a slope for all channels, or one for each") {
  const tensor in{{1, 2, 2}, {-1.0F, 2.0F, -3.0F, 4.0F}};
  CHECK(floats(run(fn::prelu, {in, tensor{{1}, {0.5F}}})).data ==
        std::vector<float>{-0.5F, 2.0F, -1.5F, 4.0F});
  CHECK(floats(run(fn::prelu, {in, tensor{{2}, {0.5F, 2.0F}}})).data ==
        std::vector<float>{-0.5F, 2.0F, -6.0F, 4.0F});
  CHECK_FALSE(run(fn::prelu, {in, filled({3})}).has_value());
}

TEST_CASE("NaN stays, and infinities go where the function tends") {
  const tensor ends{{3}, {-inf, inf, not_a_number}};
  for (const auto& y : {run(fn::relu, {ends}), run(fn::relu6, {ends}), run(fn::hardtanh, {ends}),
                        run(fn::clamp, {ends}, {{"min", 0}, {"max", 1}})})
    CHECK(std::isnan(floats(y).data[2]));
  CHECK(floats(run(fn::sigmoid, {ends})).data[0] == 0.0F);
  CHECK(floats(run(fn::sigmoid, {ends})).data[1] == 1.0F);
  CHECK(floats(run(fn::relu, {ends})).data[1] == inf);
}

TEST_CASE("dropout and identity give what they get, when a model is evaluated") {
  const value in = points;
  for (const auto& y :
       {run(nn::dropout, {in}), run(nn::identity, {in}), run(fn::dropout, {in}, {{"p", 0.9}})}) {
    REQUIRE(cause(y) == "");
    CHECK(y->is_same(in));
  }
}

namespace {

namespace functions {
using namespace descriptors::functions;
}  // namespace functions

/// The largest difference from a formula in double between -10 and 10, in 2^-24 of 1 or of it.
template <class F>
double largest_error(float (*f)(float), F formula) {
  double most = 0;
  for (int i = -10240; i <= 10240; ++i) {
    const float x = static_cast<float>(i) / 1024.0F;
    const double wanted = formula(static_cast<double>(x));
    const double off = std::abs(static_cast<double>(f(x)) - wanted);
    most = std::fmax(most, off / std::fmax(1, std::abs(wanted)));
  }
  return most * 0x1p24;
}

}  // namespace

TEST_CASE("functions of one number are as near as float32 gets in a few operations") {
  CHECK(largest_error(functions::log_sigmoid, [](double x) { return -std::log1p(std::exp(-x)); }) <
        4);
  CHECK(largest_error(functions::hardsigmoid,
                      [](double x) { return std::fmin(std::fmax(x + 3, 0), 6) / 6; }) < 4);
  CHECK(largest_error(functions::hardswish,
                      [](double x) { return x * std::fmin(std::fmax(x + 3, 0), 6) / 6; }) < 4);
  CHECK(largest_error(functions::selu, [](double x) {
          return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
        }) < 1.1);
}

TEST_CASE("piecewise functions are exact where their pieces meet") {
  CHECK(functions::relu6(6.0F) == 6.0F);
  CHECK(functions::relu6(std::nextafter(6.0F, 7.0F)) == 6.0F);
  CHECK(functions::hardsigmoid(-3.0F) == 0.0F);
  CHECK(functions::hardsigmoid(3.0F) == 1.0F);
  CHECK(functions::hardswish(-3.0F) == 0.0F);
  CHECK(functions::hardswish(3.0F) == 3.0F);
  CHECK(functions::clamp(5.0F, 3.0F, 1.0F) == 1.0F);
  CHECK(functions::clamp(0.0F, 3.0F, 1.0F) == 1.0F);
}

TEST_CASE("NaN stays NaN, and no function of an infinity is one that should not be") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (float (*f)(float) : {functions::relu, functions::relu6, functions::hardsigmoid,
                            functions::hardswish, functions::sigmoid, functions::tanh,
                            functions::mish, functions::log_sigmoid, functions::selu})
    CHECK(std::isnan(f(nan)));
  CHECK(functions::sigmoid(-inf) == 0.0F);
  CHECK(functions::sigmoid(inf) == 1.0F);
  CHECK(functions::log_sigmoid(-inf) == -inf);
  CHECK(functions::log_sigmoid(inf) == 0.0F);
}

TEST_CASE("an op of whole tensors is computed by its functions") {
  const auto glu = [](std::vector<value> given) {
    return run_op::run({{}, "input, ...", implementation::by_shape_rule}, fn::glu.id(),
                       {.positional = std::move(given)});
  };
  const tensor out = floats(glu({run_op::counted({2, 3}), 0}));
  CHECK(out.shape == extents{1, 3});
  CHECK(out.data[1] == 1.0F / (1.0F + std::exp(-4.0F)));
  CHECK(cause(glu({run_op::counted({3, 2}), 0})).starts_with("dim has no two halves"));
  CHECK(cause(glu({run_op::counted({1, 1, 1, 1, 1, 1, 2})})) == "input has too many axes");
}
