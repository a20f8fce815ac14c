// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/activations.hpp"

#include <doctest/doctest.h>

#include <limits>

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
    if (f.apply == nullptr || f.tensors != 1) continue;
    if (op == nn::leaky_relu.id() || op == fn::leaky_relu.id()) continue;  // NaN times the slope
    CAPTURE(op->name);
    float x = std::numeric_limits<float>::quiet_NaN();
    float out = 0;
    f.apply({.in = {{&x, {1}}}, .out = {&out, {1}}}, {});
    CHECK(out != out);
  }
}

}  // namespace
