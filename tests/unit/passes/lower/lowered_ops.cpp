// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/lower/lowered_ops.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

static_assert(lowered_weighted(nn::linear.id())->with_relu == q::linear_relu.id());
static_assert(lowered_weighted(nni::linear_relu.id())->dynamic == q::linear_relu_dynamic.id());
static_assert(lowered_weighted(fn::conv2d.id())->plain == q::functional_conv2d.id());
static_assert(lowered_weighted(nn::relu.id()) == nullptr);
static_assert(lowered_binary(fn::mul.id())->with_relu == q::mul_relu.id());
static_assert(lowered_binary(fn::matmul.id())->with_relu == nullptr);
static_assert(lowered_binary(op::sub.id()) == nullptr);

// Copies keep the steps of their input, others have a scale of their own.
static_assert(copies_values(nn::max_pool2d.id()) && copies_values(method::view.id()));
static_assert(!copies_values(nn::hardswish.id()) && keeps_name(nn::hardswish.id()));
static_assert(keeps_name(nn::sigmoid.id()) && !keeps_name(nn::gelu.id()));

static_assert(is_absorbed_relu(fn::torch_relu.id()) && !is_absorbed_relu(method::relu.id()));
static_assert(is_later(nn::flatten.id()) && !is_later(fn::flatten.id()));

// Compiled models have kernels for some.
static_assert(has_integer_kernel(q::conv2d.id()) && has_integer_kernel(nn::sigmoid.id()));
static_assert(has_integer_kernel(q::linear_dynamic.id()) && has_integer_kernel(q::mul_relu.id()));
static_assert(!has_integer_kernel(q::conv3d.id()) && !has_integer_kernel(q::lstm_dynamic.id()));

TEST_CASE("no op is in two rows") {
  for (const auto& a : lowered_ops::weighted)
    for (const auto& b : lowered_ops::weighted) CHECK((&a == &b || a.from != b.from));
  for (const op_id op : lowered_ops::default_ops) CHECK(!copies_values(op));
}

}  // namespace
