// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/backends/rows.hpp"

// The ops that PyTorch's backends and default mappings treat alike, by category. An op without a
// config of its own in a backend appears only here.

namespace ctq::categories {

/// Sums and products of two values, which may have a relu after them.
template <template <class, auto...> class Rows, class Dtypes>
using arithmetic = Rows<Dtypes, op::add, fn::add, op::mul, fn::mul>;
template <template <class, auto...> class Rows, class Dtypes>
using xnnpack_arithmetic = Rows<Dtypes, op::add, fn::add, op::sub, fn::sub, op::mul, fn::mul>;

/// The output has another range than the input.
template <class Dtypes>
using own_scale =
    rows::each_plain<Dtypes, nn::elu, nn::leaky_relu, nn::hardswish, nn::instance_norm1d,
                     nn::instance_norm2d, nn::instance_norm3d, nn::dropout, nn::prelu, fn::elu,
                     fn::hardswish, fn::leaky_relu, fn::dropout>;

/// The output has the quantization parameters of the input.
template <class Dtypes>
using input_scale = rows::each_sharing<
    Dtypes, nn::adaptive_avg_pool1d, nn::adaptive_avg_pool2d, nn::adaptive_avg_pool3d,
    nn::avg_pool1d, nn::avg_pool2d, nn::avg_pool3d, nn::hardtanh, nn::identity, nn::max_pool1d,
    nn::max_pool2d, nn::max_pool3d, nn::pixel_shuffle, nn::pixel_unshuffle, nn::relu, nn::relu6,
    fn::adaptive_avg_pool1d, fn::adaptive_avg_pool2d, fn::adaptive_avg_pool3d, fn::hardtanh,
    fn::hardtanh_, fn::interpolate, fn::max_pool1d, fn::max_pool2d, fn::max_pool3d,
    fn::pixel_shuffle, fn::pixel_unshuffle, fn::relu, fn::relu6, fn::avg_pool1d, fn::avg_pool2d,
    fn::avg_pool3d, fn::clamp, fn::flatten, fn::mean, fn::narrow, fn::repeat_interleave,
    fn::transpose, fn::squeeze, fn::stack, fn::unsqueeze, op::floordiv, method::contiguous,
    method::clamp, method::detach, method::detach_, method::mean, method::permute, method::repeat,
    method::repeat_interleave, method::reshape, method::resize_, method::relu, method::relu_,
    method::squeeze, method::squeeze_, method::transpose, method::unsqueeze, method::unsqueeze_,
    method::view>;

/// The same in the config of ExecuTorch for XNNPACK: fewer ops, but ELU, leaky relu and pad, too.
template <class Dtypes>
using xnnpack_input_scale =
    rows::each_sharing<Dtypes, fn::adaptive_avg_pool2d, fn::elu, fn::hardtanh, fn::max_pool2d,
                       fn::pad, fn::relu, fn::relu6, fn::leaky_relu, fn::leaky_relu_,
                       nn::adaptive_avg_pool2d, nn::constant_pad2d, nn::elu, nn::max_pool2d,
                       nn::relu6, nn::hardtanh, nn::leaky_relu, fn::clamp, fn::flatten, fn::mean,
                       fn::permute, fn::permute_copy, fn::squeeze, method::clamp, method::mean,
                       method::permute, method::reshape, method::relu, method::relu_,
                       method::squeeze, method::squeeze_, method::leaky_relu>;

/// Their weight stays in float.
template <class Dtypes>
using layer_norms = configs<rows::plain<Dtypes, nn::layer_norm>,
                            rows::function<Dtypes, fn::layer_norm, {.weight = 2, .bias = 3}>>;

/// The range of the output is known.
template <class Dtypes>
using from_0_to_1 = rows::each_plain<Dtypes, nn::hardsigmoid, fn::hardsigmoid, method::hardsigmoid,
                                     method::hardsigmoid_, nn::sigmoid, fn::sigmoid,
                                     method::sigmoid, method::sigmoid_, nn::softmax>;
template <class Dtypes>
using from_neg1_to_1 = rows::each_plain<Dtypes, nn::tanh, fn::tanh, method::tanh, method::tanh_>;

/// Why a default mapping has a separate entry for an op.
enum class treatment : std::uint8_t {
  reuse_input,     // a view of its input
  as_global,       // may be fused with other ops
  conv_transpose,  // per-tensor weight, where FBGEMM requires it
  norm_weight,     // its weight stays in float
  prelu,           // its weight is quint8
  from_0_to_1,     // its output has a fixed range
  from_neg1_to_1,
};

struct treated_op {
  op_id op;
  treatment how;
};

/// The ops of default mappings, in PyTorch's order.
inline constexpr treated_op treated_ops[] = {
    {method::reshape.id(), treatment::reuse_input},
    {nn::conv1d.id(), treatment::as_global},
    {nn::conv2d.id(), treatment::as_global},
    {nn::conv3d.id(), treatment::as_global},
    {nn::conv_transpose1d.id(), treatment::conv_transpose},
    {nn::conv_transpose2d.id(), treatment::conv_transpose},
    {nn::conv_transpose3d.id(), treatment::conv_transpose},
    {nn::linear.id(), treatment::as_global},
    {fn::conv1d.id(), treatment::as_global},
    {fn::conv2d.id(), treatment::as_global},
    {fn::conv3d.id(), treatment::as_global},
    {fn::conv_transpose1d.id(), treatment::conv_transpose},
    {fn::conv_transpose2d.id(), treatment::conv_transpose},
    {fn::conv_transpose3d.id(), treatment::conv_transpose},
    {fn::linear.id(), treatment::as_global},
    {nn::relu.id(), treatment::as_global},
    {fn::relu.id(), treatment::as_global},
    {fn::torch_relu.id(), treatment::as_global},
    {nn::batch_norm1d.id(), treatment::as_global},
    {nn::batch_norm2d.id(), treatment::as_global},
    {nn::batch_norm3d.id(), treatment::as_global},
    {fn::layer_norm.id(), treatment::norm_weight},
    {nn::layer_norm.id(), treatment::norm_weight},
    {nn::prelu.id(), treatment::prelu},
    {nn::hardsigmoid.id(), treatment::from_0_to_1},
    {fn::hardsigmoid.id(), treatment::from_0_to_1},
    {method::hardsigmoid.id(), treatment::from_0_to_1},
    {method::hardsigmoid_.id(), treatment::from_0_to_1},
    {nn::sigmoid.id(), treatment::from_0_to_1},
    {fn::sigmoid.id(), treatment::from_0_to_1},
    {method::sigmoid.id(), treatment::from_0_to_1},
    {method::sigmoid_.id(), treatment::from_0_to_1},
    {nn::softmax.id(), treatment::from_0_to_1},
    {nn::tanh.id(), treatment::from_neg1_to_1},
    {fn::tanh.id(), treatment::from_neg1_to_1},
    {method::tanh.id(), treatment::from_neg1_to_1},
    {method::tanh_.id(), treatment::from_neg1_to_1},
};

}  // namespace ctq::categories
