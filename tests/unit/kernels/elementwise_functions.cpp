// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/elementwise_functions.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using namespace ctq;

namespace {

/// The op applied to x, with its default options.
template <class Op>
float of(const Op& op, float x, const typename Op::options& o = {}) {
  float out = 0;
  kernels::hooks_of(op.id()).apply({.in = {{&x, {1}}}, .out = {&out, {1}}}, attributes{o});
  return out;
}

// Every op of the list has a float function with the number of tensors that the list states.
constexpr bool all_have_meaning() {
  for (const op_id op : elementwise_ops::unary)
    if (kernels::hooks_of(op).tensors != 1 || kernels::hooks_of(op).apply == nullptr) return false;
  for (const op_id op : elementwise_ops::binary)
    if (kernels::hooks_of(op).tensors != 2 || kernels::hooks_of(op).apply == nullptr) return false;
  return true;
}
static_assert(all_have_meaning());

TEST_CASE("elementwise functions return PyTorch's values") {
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

TEST_CASE("elementwise functions of NaN return NaN") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const op_id op : elementwise_ops::unary) {
    if (op == nn::leaky_relu.id() || op == fn::leaky_relu.id()) continue;  // NaN times the slope
    float x = nan;
    float out = 0;
    kernels::hooks_of(op).apply({.in = {{&x, {1}}}, .out = {&out, {1}}}, {});
    CHECK(out != out);
  }
}

}  // namespace
