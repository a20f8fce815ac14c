// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/elementwise_ops.hpp"

#include <doctest/doctest.h>

#include <iterator>

using namespace ctq;

namespace {

static_assert(elementwise_tensors(nn::sigmoid.id()) == 1);
static_assert(elementwise_tensors(method::tanh.id()) == 1);
static_assert(elementwise_tensors(op::sub.id()) == 2);
static_assert(elementwise_tensors(fn::sub.id()) == 2);
// They have kernels of their own.
static_assert(elementwise_tensors(nn::relu.id()) == 0);
static_assert(elementwise_tensors(op::add.id()) == 0);
static_assert(elementwise_tensors(op::mul.id()) == 0);
static_assert(elementwise_tensors(q::mul_relu.id()) == 0);
static_assert(elementwise_tensors(nn::conv2d.id()) == 0);

TEST_CASE("what is listed for one tensor is not listed for two") {
  int of[2]{};
  for (const op_id op : elementwise_ops::unary) of[0] += elementwise_tensors(op) == 1 ? 1 : 0;
  for (const op_id op : elementwise_ops::binary) of[1] += elementwise_tensors(op) == 2 ? 1 : 0;
  CHECK(of[0] == static_cast<int>(std::size(elementwise_ops::unary)));
  CHECK(of[1] == static_cast<int>(std::size(elementwise_ops::binary)));
}

}  // namespace
