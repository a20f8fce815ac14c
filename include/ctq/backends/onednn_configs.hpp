// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/rows.hpp"

// Fusions of oneDNN that other libraries do not have: a convolution and an add, a linear layer and
// leaky relu or tanh.

namespace ctq {

namespace onednn_parts {

/// A conv whose output is added to another value, which becomes the second argument of the fused
/// module. Root and Extra: the paths of the conv and of the other value in the nested pattern.
template <class Dtypes, class Pattern, auto Fused, const fuser& Fuser, class Root, class Extra>
using sum = backend_pattern_config<Pattern, Dtypes, fused_module<Fused>, fuser_method<Fuser>,
                                   root_node_getter<Root>, extra_inputs_getter<Extra>>;

/// conv + y, for both forms of add.
template <class Dtypes, auto Conv, const fuser& Fuser, class Root>
using left = configs<
    sum<Dtypes, pattern<nested<fn::add, Conv, match_all>>, nni::conv_add2d, Fuser, Root, path<2>>,
    sum<Dtypes, pattern<nested<op::add, Conv, match_all>>, nni::conv_add2d, Fuser, Root, path<2>>>;

/// y + conv
template <class Dtypes, auto Conv, const fuser& Fuser, class Root>
using right = configs<
    sum<Dtypes, pattern<nested<fn::add, match_all, Conv>>, nni::conv_add2d, Fuser, Root, path<1>>,
    sum<Dtypes, pattern<nested<op::add, match_all, Conv>>, nni::conv_add2d, Fuser, Root, path<1>>>;

/// relu(conv + y)
template <class Dtypes, auto Conv, const fuser& Fuser, class Root>
using left_relu = configs<sum<Dtypes, pattern<nested<fn::add, Conv, match_all>, nn::relu>,
                              nni::conv_add_relu2d, Fuser, Root, path<1, 2>>,
                          sum<Dtypes, pattern<nested<op::add, Conv, match_all>, nn::relu>,
                              nni::conv_add_relu2d, Fuser, Root, path<1, 2>>>;

/// relu(y + conv)
template <class Dtypes, auto Conv, const fuser& Fuser, class Root>
using right_relu = configs<sum<Dtypes, pattern<nested<fn::add, match_all, Conv>, nn::relu>,
                               nni::conv_add_relu2d, Fuser, Root, path<1, 1>>,
                           sum<Dtypes, pattern<nested<op::add, match_all, Conv>, nn::relu>,
                               nni::conv_add_relu2d, Fuser, Root, path<1, 1>>>;

inline constexpr auto conv_bn = nested<nn::batch_norm2d, nn::conv2d>;

template <class Dtypes>
using conv_add = configs<left<Dtypes, conv_bn, fuse_conv_bn_add_left, path<1, 1>>,
                         left<Dtypes, nn::conv2d, fuse_conv_add_left, path<1>>,
                         right<Dtypes, conv_bn, fuse_conv_bn_add_right, path<2, 1>>,
                         right<Dtypes, nn::conv2d, fuse_conv_add_right, path<2>>,
                         rows::rooted<Dtypes, nni::conv_add2d, nn::conv2d, nnqr::conv2d>,
                         left_relu<Dtypes, conv_bn, fuse_conv_bn_add_relu_left, path<1, 1, 1>>,
                         left_relu<Dtypes, nn::conv2d, fuse_conv_add_relu_left, path<1, 1>>,
                         right_relu<Dtypes, conv_bn, fuse_conv_bn_add_relu_right, path<1, 2, 1>>,
                         right_relu<Dtypes, nn::conv2d, fuse_conv_add_relu_right, path<1, 2>>,
                         rows::rooted<Dtypes, nni::conv_add_relu2d, nn::conv2d, nnqr::conv2d>>;

/// A linear layer and a following activation, as a module or as a function.
template <class Dtypes, auto Module, auto Function, auto Fused>
using linear_and =
    configs<rows::fused<Dtypes, pattern<nn::linear, Module>, Fused>,
            rows::fused<Dtypes, pattern<nn::linear, Function>, Fused>,
            rows::rooted<Dtypes, Fused, nn::linear, nnqr::linear>,
            rows::plain<Dtypes, fn::linear, Module>, rows::plain<Dtypes, fn::linear, Function>>;

template <class Dtypes>
using linear_activation =
    configs<linear_and<Dtypes, nn::leaky_relu, fn::leaky_relu, nni::linear_leaky_relu>,
            rows::fused_by<Dtypes, pattern<nn::linear, nn::batch_norm1d, nn::leaky_relu>,
                           nni::linear_leaky_relu, fuse_linear_bn_leaky_relu>,
            linear_and<Dtypes, nn::tanh, fn::tanh, nni::linear_tanh>>;

}  // namespace onednn_parts

/// 2d convolutions, with or without a batch norm, and an add, with or without relu: 18 rows.
template <class... DtypeConfig>
using conv_add_configs = onednn_parts::conv_add<dtype_configs<DtypeConfig...>>;

/// Linear layers and a leaky relu or tanh: 11 rows.
template <class... DtypeConfig>
using linear_activation_configs = onednn_parts::linear_activation<dtype_configs<DtypeConfig...>>;

}  // namespace ctq
