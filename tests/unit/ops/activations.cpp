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
