// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/elementwise_ops.hpp"
#include "ctq/core/ops.hpp"
#include "ctq/graph/node.hpp"

// What the schedule does with a node, for each op of any stage.

namespace ctq::scheduling {

/// What is to be done with a node.
enum class task : unsigned char {
  placeholder,
  output,
  observe,
  same,
  quantize,
  dequantize,
  requantize,
  relu,
  conv2d,
  conv_relu2d,
  linear,
  linear_relu,
  linear_dynamic,
  linear_relu_dynamic,
  batch_norm2d,
  bn_relu2d,
  add,
  add_relu,
  mul,
  mul_relu,
  max_pool2d,
  avg_pool2d,
  adaptive_avg_pool2d,
  flatten,
  cat,
  own,
  elementwise,
  unknown,
};

[[nodiscard]] constexpr task task_of(op_id op) {
  if (op->kind == op_kind::placeholder) return task::placeholder;
  if (op->kind == op_kind::output) return task::output;
  if (is_any_of(op, q::activation_post_process)) return task::observe;
  if (is_any_of(op, q::quantize_per_tensor)) return task::quantize;
  if (is_any_of(op, q::dequantize)) return task::dequantize;
  if (is_any_of(op, q::requantize)) return task::requantize;
  if (is_any_of(op, nn::relu, fn::relu, fn::torch_relu, method::relu)) return task::relu;
  if (is_any_of(op, nn::identity, method::contiguous, method::detach)) return task::same;
  if (is_any_of(op, nn::conv2d, q::conv2d)) return task::conv2d;
  if (is_any_of(op, nni::conv_relu2d, q::conv_relu2d)) return task::conv_relu2d;
  if (is_any_of(op, nn::linear, q::linear)) return task::linear;
  if (is_any_of(op, nni::linear_relu, q::linear_relu)) return task::linear_relu;
  if (is_any_of(op, q::linear_dynamic)) return task::linear_dynamic;
  if (is_any_of(op, q::linear_relu_dynamic)) return task::linear_relu_dynamic;
  if (is_any_of(op, nn::batch_norm2d)) return task::batch_norm2d;
  if (is_any_of(op, nni::bn_relu2d)) return task::bn_relu2d;
  if (is_any_of(op, op::add, fn::add, q::add)) return task::add;
  if (is_any_of(op, q::add_relu)) return task::add_relu;
  if (is_any_of(op, op::mul, fn::mul, q::mul)) return task::mul;
  if (is_any_of(op, q::mul_relu)) return task::mul_relu;
  if (is_any_of(op, nn::max_pool2d, fn::max_pool2d)) return task::max_pool2d;
  if (is_any_of(op, nn::avg_pool2d, fn::avg_pool2d)) return task::avg_pool2d;
  if (is_any_of(op, nn::adaptive_avg_pool2d, fn::adaptive_avg_pool2d))
    return task::adaptive_avg_pool2d;
  if (is_any_of(op, nn::flatten, fn::flatten)) return task::flatten;
  if (is_any_of(op, fn::cat)) return task::cat;
  if (op->hooks != nullptr) return task::own;
  return elementwise_tensors(op) > 0 ? task::elementwise : task::unknown;
}

}  // namespace ctq::scheduling
