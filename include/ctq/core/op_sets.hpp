// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/ops.hpp"

// What ops have in common that checks ask for. Of an op that ctq does not know, nothing is known.

namespace ctq {

namespace op_sets {

template <std::size_t N>
constexpr bool contains(const op_id (&set)[N], op_id op) {
  for (const op_id id : set)
    if (id == op) return true;
  return false;
}

inline constexpr op_id weighted[] = {nn::conv1d.id(),
                                     nn::conv2d.id(),
                                     nn::conv3d.id(),
                                     nn::conv_transpose1d.id(),
                                     nn::conv_transpose2d.id(),
                                     nn::conv_transpose3d.id(),
                                     nn::linear.id(),
                                     nn::embedding.id(),
                                     nn::embedding_bag.id(),
                                     nn::lstm.id(),
                                     nn::lstm_cell.id(),
                                     nn::gru.id(),
                                     nn::gru_cell.id(),
                                     nn::rnn.id(),
                                     nn::rnn_cell.id(),
                                     nn::prelu.id(),
                                     nn::layer_norm.id(),
                                     nn::group_norm.id(),
                                     nn::batch_norm1d.id(),
                                     nn::batch_norm2d.id(),
                                     nn::batch_norm3d.id(),
                                     nn::instance_norm1d.id(),
                                     nn::instance_norm2d.id(),
                                     nn::instance_norm3d.id(),
                                     nni::bn_relu2d.id(),
                                     nni::bn_relu3d.id(),
                                     nni::conv_relu1d.id(),
                                     nni::conv_relu2d.id(),
                                     nni::conv_relu3d.id(),
                                     nni::conv_bn1d.id(),
                                     nni::conv_bn2d.id(),
                                     nni::conv_bn3d.id(),
                                     nni::conv_bn_relu1d.id(),
                                     nni::conv_bn_relu2d.id(),
                                     nni::conv_bn_relu3d.id(),
                                     nni::conv_add2d.id(),
                                     nni::conv_add_relu2d.id(),
                                     nni::linear_relu.id(),
                                     nni::linear_bn1d.id(),
                                     nni::linear_leaky_relu.id(),
                                     nni::linear_tanh.id(),
                                     nnqat::conv1d.id(),
                                     nnqat::conv2d.id(),
                                     nnqat::conv3d.id(),
                                     nnqat::linear.id(),
                                     nnqat::embedding.id(),
                                     nnqat::embedding_bag.id(),
                                     nniqat::conv_relu1d.id(),
                                     nniqat::conv_relu2d.id(),
                                     nniqat::conv_relu3d.id(),
                                     nniqat::conv_bn1d.id(),
                                     nniqat::conv_bn2d.id(),
                                     nniqat::conv_bn3d.id(),
                                     nniqat::conv_bn_relu1d.id(),
                                     nniqat::conv_bn_relu2d.id(),
                                     nniqat::conv_bn_relu3d.id(),
                                     nniqat::linear_relu.id(),
                                     nniqat::linear_bn1d.id(),
                                     fn::conv1d.id(),
                                     fn::conv2d.id(),
                                     fn::conv3d.id(),
                                     fn::conv_transpose1d.id(),
                                     fn::conv_transpose2d.id(),
                                     fn::conv_transpose3d.id(),
                                     fn::linear.id(),
                                     fn::batch_norm.id(),
                                     fn::layer_norm.id(),
                                     fn::group_norm.id(),
                                     fn::instance_norm.id(),
                                     fn::prelu.id(),
                                     fn::embedding.id(),
                                     fn::embedding_bag.id(),
                                     fn::addmm.id()};

inline constexpr op_id arithmetic[] = {
    op::add.id(), op::sub.id(), op::mul.id(), op::truediv.id(), op::matmul.id(), fn::add.id(),
    fn::sub.id(), fn::mul.id(), fn::div.id(), fn::matmul.id(),  fn::bmm.id()};

inline constexpr op_id fixed_qparams[] = {nn::sigmoid.id(),
                                          nn::hardsigmoid.id(),
                                          nn::softmax.id(),
                                          nn::tanh.id(),
                                          fn::sigmoid.id(),
                                          fn::hardsigmoid.id(),
                                          fn::tanh.id(),
                                          method::sigmoid.id(),
                                          method::sigmoid_.id(),
                                          method::hardsigmoid.id(),
                                          method::hardsigmoid_.id(),
                                          method::tanh.id(),
                                          method::tanh_.id()};

inline constexpr op_id relus[] = {nn::relu.id(), fn::relu.id(), fn::torch_relu.id(),
                                  method::relu.id(), method::relu_.id()};

}  // namespace op_sets

/// Does it have a weight, as a module's member or an argument?
[[nodiscard]] constexpr bool is_weighted(op_id op) {
  return op_sets::contains(op_sets::weighted, op);
}

/// Sums and products of two values.
[[nodiscard]] constexpr bool is_arithmetic(op_id op) {
  return op_sets::contains(op_sets::arithmetic, op);
}

/// The range of the output is known beforehand: a sigmoid's is 0 to 1.
[[nodiscard]] constexpr bool has_fixed_qparams(op_id op) {
  return op_sets::contains(op_sets::fixed_qparams, op);
}

/// relu, however it is written.
[[nodiscard]] constexpr bool is_relu(op_id op) { return op_sets::contains(op_sets::relus, op); }

}  // namespace ctq
