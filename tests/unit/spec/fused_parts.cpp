// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/fused_parts.hpp"

#include <doctest/doctest.h>

#include "ctq/ops/op_table.hpp"

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
static_assert(!become<nn::conv2d, nn::relu>(nn::linear.id()));  // not a fused module

template <auto... Op>
constexpr bool fuses(fuser_id fuser) {
  return can_fuse(pattern<Op...>::value, fuser);
}

static_assert(fuses<nn::conv3d, nn::batch_norm3d>(&fuse_conv_bn));
static_assert(!fuses<nn::conv3d, nn::relu>(&fuse_conv_bn));
static_assert(!fuses<nn::conv3d, nn::batch_norm3d, nn::relu>(&fuse_conv_bn));
static_assert(fuses<nn::conv3d, nn::batch_norm3d, nn::relu>(&fuse_conv_bn_relu));
static_assert(!fuses<nn::conv3d, nn::batch_norm3d, nn::tanh>(&fuse_conv_bn_relu));
static_assert(fuses<nn::conv3d, nn::relu>(&sequential_wrapper2));

TEST_CASE("a fused module has parts, its parts have none") {
  int fused = 0;
  for (const op_id op : naming::builtin_ops) {
    CAPTURE(op->name);
    if (first_part_of(op) == nullptr) continue;
    ++fused;
    for (const op_id part : op->descriptor->fused_of)
      if (part != nullptr) CHECK(first_part_of(part) == nullptr);
  }
  CHECK(fused == 15);
}

}  // namespace
