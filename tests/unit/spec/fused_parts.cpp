// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/fused_parts.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

template <auto... Op>
constexpr bool become(op_id fused) {
  return can_become(pattern<Op...>::value, fused);
}

static_assert(become<nn::conv2d, nn::relu>(nni::conv_relu2d.id()));
static_assert(become<nn::conv2d, fn::torch_relu>(nni::conv_relu2d.id()));
static_assert(!become<nn::conv2d, nn::relu6>(nni::conv_relu2d.id()));
static_assert(!become<nn::conv2d>(nni::conv_relu2d.id()));
static_assert(!become<nn::conv2d, nn::relu, nn::relu>(nni::conv_relu2d.id()));
static_assert(become<nn::conv1d, nn::batch_norm1d, fn::relu>(nni::conv_bn_relu1d.id()));
static_assert(!become<nn::conv1d, nn::batch_norm2d, fn::relu>(nni::conv_bn_relu1d.id()));
static_assert(become<nn::linear, fn::leaky_relu>(nni::linear_leaky_relu.id()));
static_assert(become<nn::conv2d, nn::relu>(nn::linear.id()));  // not a fused module: who knows

template <auto... Op>
constexpr bool fuses(fuser_id fuser) {
  return can_fuse(pattern<Op...>::value, fuser);
}

static_assert(fuses<nn::conv3d, nn::batch_norm3d>(fuse_conv_bn.id()));
static_assert(!fuses<nn::conv3d, nn::relu>(fuse_conv_bn.id()));
static_assert(!fuses<nn::conv3d, nn::batch_norm3d, nn::relu>(fuse_conv_bn.id()));
static_assert(fuses<nn::conv3d, nn::batch_norm3d, nn::relu>(fuse_conv_bn_relu.id()));
static_assert(!fuses<nn::conv3d, nn::batch_norm3d, nn::tanh>(fuse_conv_bn_relu.id()));
static_assert(fuses<nn::conv3d, nn::relu>(sequential_wrapper2.id()));

TEST_CASE("the table names each fused module once") {
  for (const fused_parts::row& a : fused_parts::table) {
    int same = 0;
    for (const fused_parts::row& b : fused_parts::table) same += a.fused == b.fused ? 1 : 0;
    CHECK(same == 1);
  }
}

}  // namespace
