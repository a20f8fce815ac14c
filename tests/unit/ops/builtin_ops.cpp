// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/builtin_ops.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "ctq/ops/op_table.hpp"

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

static_assert(nn::placeholder({1, 3, 8, 8}).attrs.as<shape>() == shape{1, 3, 8, 8});
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

// ---- what descriptors say

constexpr const op_descriptor& of(op_id op) { return *op->descriptor; }
constexpr bool has_weights(op_id op) { return of(op).weights != op_weights::none; }

static_assert(has_weights(nn::conv2d.id()) && has_weights(fn::linear.id()));
static_assert(has_weights(nniqat::conv_bn_relu3d.id()) && has_weights(nn::embedding_bag.id()));
static_assert(!has_weights(nn::relu.id()) && !has_weights(op::add.id()));
static_assert(of(nn::batch_norm2d.id()).weights == op_weights::in_float);
static_assert(of(op::mul.id()).is_arithmetic && of(fn::matmul.id()).is_arithmetic);
static_assert(!of(op::floordiv.id()).is_arithmetic);
static_assert(has_fixed_qparams(of(nn::softmax.id())));
static_assert(has_fixed_qparams(of(method::tanh_.id())));
static_assert(!has_fixed_qparams(of(nn::relu6.id())));
static_assert(of(fn::torch_relu.id()).is_relu && !of(nn::relu6.id()).is_relu);

static_assert(of(nn::linear.id()).integer_relu_form == q::linear_relu.id());
static_assert(of(nni::linear_relu.id()).dynamic_form == q::linear_relu_dynamic.id());
static_assert(of(fn::conv2d.id()).integer_form == q::functional_conv2d.id());
static_assert(of(nn::relu.id()).integer_form == nullptr);
static_assert(of(fn::mul.id()).integer_relu_form == q::mul_relu.id());
static_assert(of(fn::matmul.id()).integer_relu_form == nullptr);
static_assert(of(op::sub.id()).integer_form == nullptr);
static_assert(of(nn::conv2d.id()).with_relu == nni::conv_relu2d.id());
static_assert(of(nni::conv_relu2d.id()).fused_of[0] == nn::conv2d.id());

// Copies keep the scale of their input, others have one of their own.
static_assert(of(nn::max_pool2d.id()).on_integers == on_integers::input_scale);
static_assert(of(method::view.id()).on_integers == on_integers::input_scale);
static_assert(of(nn::hardswish.id()).on_integers == on_integers::own_scale);
static_assert(of(nn::gelu.id()).on_integers == on_integers::none);
static_assert(of(nn::flatten.id()).is_since_2_1 && !of(fn::flatten.id()).is_since_2_1);

TEST_CASE("an op has the same steps in float and on integers, whatever its name") {
  const auto kernel_of = [](op_id op) { return of(op).schedule.kernel; };
  CHECK(kernel_of(nn::conv2d.id()) == kernel::conv2d);
  CHECK(kernel_of(q::conv2d.id()) == kernel::conv2d);
  CHECK(kernel_of(q::linear_dynamic.id()) == kernel::linear_dynamic);
  CHECK(of(nni::linear_relu.id()).schedule.relu);
  CHECK(of(q::linear_relu.id()).schedule.relu);
  CHECK(of(q::mul_relu.id()).schedule.relu);
  for (const op_id op : {op::add.id(), fn::add.id(), q::add.id()})
    CHECK(kernel_of(op) == kernel::binary_add);
  for (const op_id op : {op::add.id(), q::add.id(), q::add_relu.id()})
    CHECK(of(op).schedule.broadcast == kernel::binary_add_broadcast);
  for (const op_id op : {op::truediv.id(), fn::div.id()})
    CHECK(kernel_of(op) == kernel::binary_div);
  for (const op_id op : {nn::relu.id(), fn::relu.id(), method::relu.id()})
    CHECK(kernel_of(op) == kernel::relu);
  CHECK(of(nn::sigmoid.id()).schedule.how == schedule_as::function);
  CHECK(kernel_of(nn::lstm.id()) == kernel::rnn);
  CHECK(kernel_of(q::lstm_dynamic.id()) == kernel::rnn_dynamic);
  CHECK(of(fn::embedding.id()).schedule.how == schedule_as::nothing);
  CHECK(of(nn::placeholder.id()).schedule.how == schedule_as::input);
}

TEST_CASE("what is scheduled by its functions has them") {
  for (const op_id op : naming::builtin_ops) {
    CAPTURE(op->name);
    const op_descriptor& d = of(op);
    if (d.schedule.how == schedule_as::function) {
      CHECK((d.functions.apply != nullptr));
      // On integers they become lookup tables.
      if (d.on_integers != on_integers::none) {
        CHECK(d.functions.elementwise);
        CHECK(d.functions.tensors == 1);
      }
    }
    if (d.schedule.how == schedule_as::step) CHECK((d.schedule.sizes != nullptr));
  }
}

}  // namespace
