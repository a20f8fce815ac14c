// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/rows.hpp"

// Ops that move, compare or average values, so that the output keeps the input's quantization
// parameters, and ops that only query a tensor.

namespace ctq {

/// Pooling, relu, views and similar ops: 59 rows.
template <class... DtypeConfig>
using share_qparams_op_configs = rows::each_sharing<
    dtype_configs<DtypeConfig...>, nn::adaptive_avg_pool1d, nn::adaptive_avg_pool2d,
    nn::adaptive_avg_pool3d, nn::avg_pool1d, nn::avg_pool2d, nn::avg_pool3d, nn::hardtanh,
    nn::identity, nn::max_pool1d, nn::max_pool2d, nn::max_pool3d, nn::pixel_shuffle,
    nn::pixel_unshuffle, nn::relu, nn::relu6, fn::adaptive_avg_pool1d, fn::adaptive_avg_pool2d,
    fn::adaptive_avg_pool3d, fn::hardtanh, fn::hardtanh_, fn::interpolate, fn::max_pool1d,
    fn::max_pool2d, fn::max_pool3d, fn::pixel_shuffle, fn::pixel_unshuffle, fn::relu, fn::relu6,
    fn::avg_pool1d, fn::avg_pool2d, fn::avg_pool3d, fn::clamp, fn::flatten, fn::mean, fn::narrow,
    fn::repeat_interleave, fn::transpose, fn::squeeze, fn::stack, fn::unsqueeze, op::floordiv,
    method::contiguous, method::clamp, method::detach, method::detach_, method::mean,
    method::permute, method::repeat, method::repeat_interleave, method::reshape, method::resize_,
    method::relu, method::relu_, method::squeeze, method::squeeze_, method::transpose,
    method::unsqueeze, method::unsqueeze_, method::view>;

/// cat: all inputs share one scale.
template <class... DtypeConfig>
using cat_config = rows::sharing<dtype_configs<DtypeConfig...>, fn::cat>;

/// shape and size, which do not return a tensor: 2 rows.
template <class... DtypeConfig>
using tensor_info_op_configs = configs<
    backend_pattern_config<pattern<method::shape>, dtype_configs<DtypeConfig...>, not_observed>,
    backend_pattern_config<pattern<method::size>, dtype_configs<DtypeConfig...>, not_observed>>;

}  // namespace ctq
