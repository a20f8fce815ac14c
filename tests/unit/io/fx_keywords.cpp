// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/fx_keywords.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;
using namespace ctq::fx_reading;

namespace {

constexpr op_info user_op{.kind = op_kind::function, .name = "my.mul"};

TEST_CASE("tensors, and the shapes of views, are read by their positions") {
  static_assert(position_of_keyword(fn::matmul.id(), "input") == 0);
  static_assert(position_of_keyword(fn::matmul.id(), "other") == 1);
  static_assert(position_of_keyword(fn::bmm.id(), "mat2") == 1);
  static_assert(position_of_keyword(fn::addmm.id(), "mat2") == 2);
  static_assert(position_of_keyword(method::masked_fill.id(), "mask") == 1);
  static_assert(position_of_keyword(fn::cat.id(), "tensors") == 0);
  static_assert(position_of_keyword(nn::conv2d.id(), "input") == 0);
  static_assert(position_of_keyword(method::view.id(), "size") == 1);
  static_assert(position_of_keyword(fn::interpolate.id(), "size") == -1);
  static_assert(position_of_keyword(fn::softmax.id(), "dim") == -1);
}

TEST_CASE("torch.where has its condition first") {
  static_assert(position_of_keyword(fn::where.id(), "condition") == 0);
  static_assert(position_of_keyword(fn::where.id(), "input") == 1);
  static_assert(position_of_keyword(fn::where.id(), "other") == 2);
}

TEST_CASE("keywords of NumPy are PyTorch's") {
  static_assert(own_keyword(fn::softmax.id(), "axis") == "dim");
  static_assert(own_keyword(fn::mean.id(), "keepdims") == "keepdim");
  static_assert(own_keyword(fn::softmax.id(), "dtype") == "dtype");
  static_assert(own_keyword(method::unflatten.id(), "sizes") == "unflattened_size");
  static_assert(own_keyword(method::view.id(), "sizes") == "sizes");
}

TEST_CASE("keywords of modules and of a user's ops stay") {
  static_assert(own_keyword(nn::softmax.id(), "axis") == "axis");
  static_assert(position_of_keyword(&user_op, "input") == -1);
  static_assert(own_keyword(&user_op, "axis") == "axis");
}

}  // namespace
