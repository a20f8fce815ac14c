// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/activations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "ctq/graph/node.hpp"
#include "ctq/ops/op_table.hpp"

using namespace ctq;

namespace {

/// What the op makes of x.
template <class Op>
float of(const Op& op, float x, const typename Op::options& o = {}) {
  float out = 0;
  op.id()->descriptor->functions.apply({.in = {{&x, {1}}}, .out = {&out, {1}}}, attributes{o});
  return out;
}

TEST_CASE("functions of one element have PyTorch's values") {
  CHECK(of(nn::relu, -2.0F) == 0.0F);
  CHECK(of(nn::relu6, 7.0F) == 6.0F);
  CHECK(of(fn::relu6, -1.0F) == 0.0F);
  CHECK(of(nn::leaky_relu, -2.0F) == -2.0F * 0.01F);
  CHECK(of(fn::leaky_relu, -2.0F, {.negative_slope = 0.5F}) == -1.0F);
  CHECK(of(nn::elu, -1.0F) == doctest::Approx(-0.63212055).epsilon(1e-6));
  CHECK(of(nn::hardswish, 1.0F) == 4.0F / 6.0F);
  CHECK(of(nn::hardswish, 0.1F) == 0.1F * (0.1F + 3.0F) / 6.0F);  // in this order, not times 1/6
  CHECK(of(nn::hardswish, 2.3F) == 2.3F * (2.3F + 3.0F) / 6.0F);
  CHECK(of(nn::hardsigmoid, 0.0F) == 0.5F);
  CHECK(of(nn::hardtanh, 2.0F) == 1.0F);
  CHECK(of(nn::hardtanh, -3.0F, {.min_val = -2.0F}) == -2.0F);
  CHECK(of(nn::sigmoid, 0.0F) == 0.5F);
  CHECK(of(method::tanh, 0.0F) == 0.0F);
  CHECK(of(fn::dropout, 3.0F) == 3.0F);
  CHECK(of(fn::clamp, 3.0F, {.min = 0.0F, .max = 2.0F}) == 2.0F);
  CHECK(of(fn::clamp, 3.0F) == 3.0F);
}

TEST_CASE("on both sides of zero, with other options than the defaults") {
  const auto near = [](double x) { return doctest::Approx(x).epsilon(1e-6); };
  CHECK(of(nn::relu6, 5.5F) == 5.5F);
  CHECK(of(nn::elu, 2.0F) == 2.0F);
  CHECK(of(nn::elu, -1.0F, {.alpha = 0.5F}) == near(-0.31606028));
  CHECK(of(nn::selu, 2.0F) == near(2.10140198));
  CHECK(of(nn::selu, -1.0F) == near(-1.11133074));
  CHECK(of(nn::silu, 2.0F) == near(1.76159416));
  CHECK(of(nn::silu, -1.0F) == near(-0.26894142));
  CHECK(of(nn::mish, 2.0F) == near(1.94395896));
  CHECK(of(nn::mish, -1.0F) == near(-0.30340146));
  CHECK(of(nn::log_sigmoid, 2.0F) == near(-0.12692801));
  CHECK(of(nn::log_sigmoid, -1.0F) == near(-1.31326169));
  CHECK(of(nn::sigmoid, -1.0F) == near(0.26894142));
  CHECK(of(nn::tanh, -1.0F) == near(-0.76159416));
  CHECK(of(nn::softplus, 2.0F) == near(2.12692801));
  // The threshold is one of beta x.
  CHECK(of(nn::softplus, 1.5F, {.beta = 0.5F, .threshold = 1.0F}) == near(2.27374201));
  CHECK(of(nn::softplus, 1.5F, {.beta = 2.0F, .threshold = 1.0F}) == 1.5F);
  for (const float x : {-2.7F, -1.7F, -0.3F, 0.7F, 1.3F, 2.9F}) {
    CHECK(of(nn::hardswish, x) == x * (x + 3.0F) / 6.0F);  // divided, not multiplied by 1/6
    CHECK(of(nn::hardsigmoid, x) == (x + 3.0F) / 6.0F);
  }
  for (const float x : {-3.5F, 3.5F}) {
    CHECK(of(nn::hardswish, x) == (x < 0.0F ? 0.0F : x));
    CHECK(of(nn::hardsigmoid, x) == (x < 0.0F ? 0.0F : 1.0F));
  }
}

TEST_CASE("NaN stays NaN") {
  for (const op_id op : naming::builtin_ops) {
    const op_functions& f = op->descriptor->functions;
    if (f.apply == nullptr || !f.elementwise || f.tensors != 1) continue;
    if (op == fn::sign.id() || op == method::sign.id()) continue;          // 0, as in PyTorch
    if (op == nn::leaky_relu.id() || op == fn::leaky_relu.id()) continue;  // NaN times the slope
    if (is_any_of(op, ctq::op::invert, fn::logical_not, method::logical_not))
      continue;  // not 0: false
    if (is_any_of(op, fn::full_like, fn::zeros_like, fn::ones_like)) continue;
    CAPTURE(op->name);
    float x = std::numeric_limits<float>::quiet_NaN();
    float out = 0;
    const bool of_number = op->descriptor->schedule.with_number != nullptr;  // NaN to the 0 is 1
    f.apply({.in = {{&x, {1}}}, .out = {&out, {1}}},
            of_number ? attributes{scalar_operand{3.0F, 2}} : attributes{});
    CHECK(out != out);
  }
}

/// The derivative of the op at x.
template <class Op>
double slope(const Op& op, double x, const typename Op::options& o = {}) {
  const auto at = static_cast<float>(x);
  const float one = 1;
  float gradient = 0;
  op.id()->descriptor->functions.add_gradient(
      {.in = {{&at, {1}}}, .grad_out = &one, .grad_in = {&gradient}}, attributes{o});
  return static_cast<double>(gradient);
}

/// Compares op with f, the same function in float64, and its derivative with differences of f, away
/// from the kinks.
template <class Op, class F>
void compare(const Op& op, F f, std::initializer_list<double> kinks,
             const typename Op::options& o = {}) {
  CAPTURE(op.id()->name);
  for (int i = -160; i <= 160; ++i) {
    const double x = i / 20.0;
    CAPTURE(x);
    CHECK(static_cast<double>(of(op, static_cast<float>(x), o)) ==
          doctest::Approx(f(static_cast<double>(static_cast<float>(x)))).epsilon(1e-5));
    bool near = false;
    for (const double k : kinks) near |= std::fabs(x - k) < 0.01;
    if (near) continue;
    const double h = 1e-5;
    const double difference = (f(x + h) - f(x - h)) / (2 * h);
    CHECK(std::fabs(slope(op, x, o) - difference) <= 1e-4 * std::fabs(difference) + 1e-6);
  }
}

TEST_CASE("derivatives equal central differences in float64") {
  const auto clamped = [](double x, double lo, double hi) { return std::clamp(x, lo, hi); };
  compare(nn::relu, [](double x) { return x < 0 ? 0.0 : x; }, {0});
  compare(fn::torch_relu, [](double x) { return x < 0 ? 0.0 : x; }, {0});
  compare(nn::relu6, [&](double x) { return clamped(x, 0, 6); }, {0, 6});
  compare(nn::hardtanh, [&](double x) { return clamped(x, -2, 1.5); }, {-2, 1.5},
          {.min_val = -2.0F, .max_val = 1.5F});
  compare(fn::clamp, [&](double x) { return clamped(x, -1, 4); }, {-1, 4},
          {.min = -1.0F, .max = 4.0F});
  compare(nn::leaky_relu, [](double x) { return x < 0 ? 0.25 * x : x; }, {0},
          {.negative_slope = 0.25F});
  compare(nn::elu, [](double x) { return x > 0 ? x : 1.5 * std::expm1(x); }, {0}, {.alpha = 1.5F});
  compare(nn::hardswish, [&](double x) { return x * clamped(x + 3, 0, 6) / 6; }, {-3, 3});
  compare(nn::hardsigmoid, [&](double x) { return clamped(x + 3, 0, 6) / 6; }, {-3, 3});
  compare(nn::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, {});
  compare(nn::tanh, [](double x) { return std::tanh(x); }, {});
  compare(nn::silu, [](double x) { return x / (1 + std::exp(-x)); }, {});
}

TEST_CASE("derivatives at kinks are those of PyTorch") {
  CHECK(slope(nn::relu, 0) == 0.0);
  CHECK(slope(nn::relu6, 6) == 0.0);
  CHECK(slope(nn::hardtanh, -1) == 0.0);
  CHECK(slope(fn::clamp, 2, {.min = 0.0F, .max = 2.0F}) == 1.0);
  CHECK(slope(nn::hardswish, -3) == doctest::Approx(-0.5));
  CHECK(slope(nn::hardswish, 3) == doctest::Approx(1.5));
  CHECK(slope(nn::hardsigmoid, 3) == 0.0);
  CHECK(slope(nn::leaky_relu, 0) == doctest::Approx(0.01));
}

}  // namespace
