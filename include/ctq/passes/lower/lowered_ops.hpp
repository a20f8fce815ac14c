// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/elementwise_ops.hpp"
#include "ctq/core/op_sets.hpp"
#include "ctq/core/ops.hpp"
#include "ctq/graph/node.hpp"

// Which ops can be computed on integers, and what they are called then. An op that keeps its name
// is told from its float form by the dtype of its output.

namespace ctq {

namespace lowered_ops {

/// A weighted op, alone and with a relu behind it: with scale and zero point of the output, and
/// with an input that is quantized as it comes. nullptr: there is none.
struct weighted_row {
  op_id from;
  op_id plain, with_relu;
  op_id dynamic, dynamic_relu;
};

inline constexpr weighted_row weighted[] = {
    {nn::linear.id(), q::linear.id(), q::linear_relu.id(), q::linear_dynamic.id(), nullptr},
    {nni::linear_relu.id(), q::linear_relu.id(), nullptr, q::linear_relu_dynamic.id(), nullptr},
    {nn::conv1d.id(), q::conv1d.id(), q::conv_relu1d.id(), nullptr, nullptr},
    {nn::conv2d.id(), q::conv2d.id(), q::conv_relu2d.id(), nullptr, nullptr},
    {nn::conv3d.id(), q::conv3d.id(), q::conv_relu3d.id(), nullptr, nullptr},
    {nni::conv_relu1d.id(), q::conv_relu1d.id(), nullptr, nullptr, nullptr},
    {nni::conv_relu2d.id(), q::conv_relu2d.id(), nullptr, nullptr, nullptr},
    {nni::conv_relu3d.id(), q::conv_relu3d.id(), nullptr, nullptr, nullptr},
    {nn::lstm.id(), nullptr, nullptr, q::lstm_dynamic.id(), nullptr},
    {nn::gru.id(), nullptr, nullptr, q::gru_dynamic.id(), nullptr},
    {nn::lstm_cell.id(), nullptr, nullptr, q::lstm_cell_dynamic.id(), nullptr},
    {nn::gru_cell.id(), nullptr, nullptr, q::gru_cell_dynamic.id(), nullptr},
    {nn::rnn_cell.id(), nullptr, nullptr, q::rnn_cell_dynamic.id(), nullptr},
    {nn::embedding.id(), q::embedding.id(), nullptr, nullptr, nullptr},
    {nn::embedding_bag.id(), q::embedding_bag.id(), nullptr, nullptr, nullptr},
    {fn::linear.id(), q::functional_linear.id(), q::functional_linear_relu.id(),
     q::functional_linear_dynamic.id(), q::functional_linear_relu_dynamic.id()},
    {fn::conv1d.id(), q::functional_conv1d.id(), q::functional_conv1d_relu.id(), nullptr, nullptr},
    {fn::conv2d.id(), q::functional_conv2d.id(), q::functional_conv2d_relu.id(), nullptr, nullptr},
    {fn::conv3d.id(), q::functional_conv3d.id(), q::functional_conv3d_relu.id(), nullptr, nullptr},
};

/// Sums and products.
struct binary_row {
  op_id from;
  op_id plain, with_relu;
};

inline constexpr binary_row binary[] = {
    {op::add.id(), q::add.id(), q::add_relu.id()}, {fn::add.id(), q::add.id(), q::add_relu.id()},
    {op::mul.id(), q::mul.id(), q::mul_relu.id()}, {fn::mul.id(), q::mul.id(), q::mul_relu.id()},
    {fn::matmul.id(), q::matmul.id(), nullptr},
};

// One after the other, as PyTorch sorts them: ops with a scale of their own, copies of values,
// changes of shape.
inline constexpr op_id default_ops[] = {fn::elu.id(),
                                        fn::hardswish.id(),
                                        fn::instance_norm.id(),
                                        fn::layer_norm.id(),
                                        fn::leaky_relu.id(),
                                        fn::dropout.id(),
                                        nn::elu.id(),
                                        nn::leaky_relu.id(),
                                        nn::hardswish.id(),
                                        nn::instance_norm1d.id(),
                                        nn::instance_norm2d.id(),
                                        nn::instance_norm3d.id(),
                                        nn::layer_norm.id(),
                                        nn::dropout.id(),
                                        nn::prelu.id(),
                                        nn::batch_norm2d.id(),
                                        nn::batch_norm3d.id(),
                                        nni::bn_relu2d.id(),
                                        nni::bn_relu3d.id(),
                                        nn::conv_transpose1d.id(),
                                        nn::conv_transpose2d.id()};

inline constexpr op_id copies[] = {fn::adaptive_avg_pool1d.id(),
                                   fn::adaptive_avg_pool2d.id(),
                                   fn::adaptive_avg_pool3d.id(),
                                   fn::hardtanh.id(),
                                   fn::hardtanh_.id(),
                                   fn::interpolate.id(),
                                   fn::max_pool1d.id(),
                                   fn::max_pool2d.id(),
                                   fn::max_pool3d.id(),
                                   fn::relu.id(),
                                   fn::relu6.id(),
                                   fn::avg_pool1d.id(),
                                   fn::avg_pool2d.id(),
                                   fn::avg_pool3d.id(),
                                   fn::clamp.id(),
                                   fn::flatten.id(),
                                   fn::mean.id(),
                                   op::floordiv.id(),
                                   method::clamp.id(),
                                   method::mean.id(),
                                   method::relu.id(),
                                   method::relu_.id(),
                                   nn::adaptive_avg_pool1d.id(),
                                   nn::adaptive_avg_pool2d.id(),
                                   nn::adaptive_avg_pool3d.id(),
                                   nn::avg_pool1d.id(),
                                   nn::avg_pool2d.id(),
                                   nn::avg_pool3d.id(),
                                   nn::hardtanh.id(),
                                   nn::max_pool1d.id(),
                                   nn::max_pool2d.id(),
                                   nn::max_pool3d.id(),
                                   nn::relu.id(),
                                   nn::relu6.id()};

inline constexpr op_id shapes[] = {fn::transpose.id(),
                                   fn::repeat_interleave.id(),
                                   fn::squeeze.id(),
                                   fn::stack.id(),
                                   fn::unsqueeze.id(),
                                   method::contiguous.id(),
                                   method::detach.id(),
                                   method::detach_.id(),
                                   method::permute.id(),
                                   method::repeat.id(),
                                   method::repeat_interleave.id(),
                                   method::reshape.id(),
                                   method::resize_.id(),
                                   method::shape.id(),
                                   method::size.id(),
                                   method::squeeze.id(),
                                   method::squeeze_.id(),
                                   method::transpose.id(),
                                   method::unsqueeze.id(),
                                   method::unsqueeze_.id(),
                                   method::view.id(),
                                   nn::identity.id(),
                                   nn::flatten.id(),
                                   fn::cat.id(),
                                   nn::pixel_shuffle.id(),
                                   nn::pixel_unshuffle.id(),
                                   fn::pixel_shuffle.id(),
                                   fn::pixel_unshuffle.id(),
                                   fn::narrow.id(),
                                   fn::permute.id()};

}  // namespace lowered_ops

/// The row of a weighted op, or null.
[[nodiscard]] constexpr const lowered_ops::weighted_row* lowered_weighted(op_id op) {
  for (const lowered_ops::weighted_row& r : lowered_ops::weighted)
    if (r.from == op) return &r;
  return nullptr;
}

[[nodiscard]] constexpr const lowered_ops::binary_row* lowered_binary(op_id op) {
  for (const lowered_ops::binary_row& r : lowered_ops::binary)
    if (r.from == op) return &r;
  return nullptr;
}

/// Does the op copy, compare or move values, so that its output has the steps of its input?
[[nodiscard]] constexpr bool copies_values(op_id op) {
  return op_sets::contains(lowered_ops::copies, op) || op_sets::contains(lowered_ops::shapes, op);
}

/// An op that keeps its name on integers: it has a scale of its own, or copies values.
[[nodiscard]] constexpr bool keeps_name(op_id op) {
  return copies_values(op) || op_sets::contains(lowered_ops::default_ops, op) ||
         has_fixed_qparams(op);
}

/// PyTorch 1.13 does not know these on integers.
[[nodiscard]] constexpr bool is_later(op_id op) {
  return is_any_of(op, nn::flatten, nn::pixel_shuffle, nn::pixel_unshuffle, fn::pixel_shuffle,
                   fn::pixel_unshuffle, fn::narrow, fn::permute);
}

/// Is there a compiled kernel that runs the op on integers? (Of the user's own ops their hooks
/// tell.)
[[nodiscard]] constexpr bool has_integer_kernel(op_id op) {
  if (elementwise_tensors(op) > 0) return true;
  return is_any_of(op, q::conv2d, q::conv_relu2d, q::linear, q::linear_relu, q::linear_dynamic,
                   q::linear_relu_dynamic, q::add, q::add_relu, q::mul, q::mul_relu, nn::relu,
                   fn::relu, fn::torch_relu, method::relu, nn::identity, method::contiguous,
                   method::detach, nn::max_pool2d, fn::max_pool2d, nn::avg_pool2d, fn::avg_pool2d,
                   nn::adaptive_avg_pool2d, fn::adaptive_avg_pool2d, nn::flatten, fn::flatten,
                   fn::cat);
}

/// nn.ReLU, F.relu, torch.relu: what an op on integers can have behind it. Methods stay by
/// themselves, as in PyTorch.
[[nodiscard]] constexpr bool is_absorbed_relu(op_id op) {
  return is_any_of(op, nn::relu, fn::relu, fn::torch_relu);
}

}  // namespace ctq
