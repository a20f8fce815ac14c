// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/op_sets.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

static_assert(is_weighted(nn::conv2d.id()) && is_weighted(fn::linear.id()));
static_assert(is_weighted(nniqat::conv_bn_relu3d.id()) && is_weighted(nn::embedding_bag.id()));
static_assert(!is_weighted(nn::relu.id()) && !is_weighted(op::add.id()));
static_assert(is_arithmetic(op::mul.id()) && is_arithmetic(fn::matmul.id()));
static_assert(!is_arithmetic(op::floordiv.id()));
static_assert(has_fixed_qparams(nn::softmax.id()) && has_fixed_qparams(method::tanh_.id()));
static_assert(!has_fixed_qparams(nn::relu6.id()));
static_assert(is_relu(fn::torch_relu.id()) && !is_relu(nn::relu6.id()));

TEST_CASE("nothing is known of an op that is not there") {
  CHECK_FALSE(is_weighted(nullptr));
  CHECK_FALSE(is_relu(nullptr));
}

}  // namespace
