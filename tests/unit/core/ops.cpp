// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/ops.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace ctq;
using namespace ctq::literals;

namespace {

// PyTorch's specs tell modules, functions and operators apart.
static_assert(nn::relu.id() != fn::relu.id());
static_assert(op::add.id() != fn::add.id());
static_assert(nn::conv2d.id() != nni::conv_relu2d.id());
static_assert(nn::conv2d.id() != q::conv2d.id());
static_assert(nn::conv2d.id()->kind == op_kind::module);
static_assert(fn::cat.id()->kind == op_kind::function);
static_assert(op::add.id()->kind == op_kind::function);
static_assert(q::quantize_per_tensor.id()->kind == op_kind::pass);
static_assert(nn::placeholder.id()->kind == op_kind::placeholder);
static_assert(nn::output.id()->kind == op_kind::output);

static_assert(nn::placeholder({1, 3, 8, 8}).shape == shape{1, 3, 8, 8});
static_assert(fn::cat({"a"_n, "b"_n, "c"_n}, {.dim = 1}).args[2] == "c");
static_assert(fn::cat({"a"_n, "b"_n}, {.dim = 1}).attrs.as<cat_options>().dim == 1);
static_assert(op::add("a"_n, "b"_n).op == op::add.id());
static_assert(nn::flatten().attrs.as<nn_flatten_options>().start_dim == 1);
static_assert(fn::flatten("x"_n).attrs.as<flatten_options>().start_dim == 0);

TEST_CASE("every op has a name of its own") {
  std::set<std::string> names;
  int ops = 0;
  const auto add = [&](const auto&... op) {
    (names.emplace(op.id()->name), ...);
    ops += static_cast<int>(sizeof...(op));
  };
  add(nn::placeholder, nn::output, nn::conv2d, nn::linear, nn::batch_norm2d, nn::relu,
      nn::max_pool2d, nn::avg_pool2d, nn::adaptive_avg_pool2d, nn::flatten);
  add(nni::conv_relu2d, nni::conv_bn2d, nni::conv_bn_relu2d, nni::linear_relu);
  add(fn::relu, fn::max_pool2d, fn::avg_pool2d, fn::adaptive_avg_pool2d, fn::flatten, fn::add,
      fn::cat, op::add);
  add(q::activation_post_process, q::quantize_per_tensor, q::dequantize, q::requantize, q::conv2d,
      q::conv_relu2d, q::linear, q::linear_relu, q::add, q::add_relu);
  CHECK(static_cast<int>(names.size()) == ops);
}

}  // namespace
