// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/mp11/list.hpp>
#include <cstdint>

#include "ctq/backends/rows.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// The ops that PyTorch's backends and default mappings treat alike, by category. An op that needs
// no row of its own in a backend is named here alone.

namespace ctq::categories {

/// Sums and products of two values, which may have a relu behind them.
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

/// The same on XNNPACK, with ELU and leaky relu, and without nn.ReLU.
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

template <auto Op, treatment How>
struct treated {
  static constexpr op_id op = Op.id();
  static constexpr treatment how = How;
  template <class QConfig>
  using mapped_to = object_type<Op, QConfig>;
};

/// The ops of default mappings, in PyTorch's order.
using treated_ops = boost::mp11::mp_list<
    treated<method::reshape, treatment::reuse_input>, treated<nn::conv1d, treatment::as_global>,
    treated<nn::conv2d, treatment::as_global>, treated<nn::conv3d, treatment::as_global>,
    treated<nn::conv_transpose1d, treatment::conv_transpose>,
    treated<nn::conv_transpose2d, treatment::conv_transpose>,
    treated<nn::conv_transpose3d, treatment::conv_transpose>,
    treated<nn::linear, treatment::as_global>, treated<fn::conv1d, treatment::as_global>,
    treated<fn::conv2d, treatment::as_global>, treated<fn::conv3d, treatment::as_global>,
    treated<fn::conv_transpose1d, treatment::conv_transpose>,
    treated<fn::conv_transpose2d, treatment::conv_transpose>,
    treated<fn::conv_transpose3d, treatment::conv_transpose>,
    treated<fn::linear, treatment::as_global>, treated<nn::relu, treatment::as_global>,
    treated<fn::relu, treatment::as_global>, treated<fn::torch_relu, treatment::as_global>,
    treated<nn::batch_norm1d, treatment::as_global>,
    treated<nn::batch_norm2d, treatment::as_global>,
    treated<nn::batch_norm3d, treatment::as_global>,
    treated<fn::layer_norm, treatment::norm_weight>,
    treated<nn::layer_norm, treatment::norm_weight>, treated<nn::prelu, treatment::prelu>,
    treated<nn::hardsigmoid, treatment::from_0_to_1>,
    treated<fn::hardsigmoid, treatment::from_0_to_1>,
    treated<method::hardsigmoid, treatment::from_0_to_1>,
    treated<method::hardsigmoid_, treatment::from_0_to_1>,
    treated<nn::sigmoid, treatment::from_0_to_1>, treated<fn::sigmoid, treatment::from_0_to_1>,
    treated<method::sigmoid, treatment::from_0_to_1>,
    treated<method::sigmoid_, treatment::from_0_to_1>, treated<nn::softmax, treatment::from_0_to_1>,
    treated<nn::tanh, treatment::from_neg1_to_1>, treated<fn::tanh, treatment::from_neg1_to_1>,
    treated<method::tanh, treatment::from_neg1_to_1>,
    treated<method::tanh_, treatment::from_neg1_to_1>>;

}  // namespace ctq::categories
