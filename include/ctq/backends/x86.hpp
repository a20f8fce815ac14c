// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/ops.hpp"
#include "ctq/spec/backend_config.hpp"

// PyTorch's x86 backend, for the ops ctq computes: quint8 activations, qint8 weights.

namespace ctq {

namespace x86_parts {

using u8 = dtype_with_constraints<quint8>;
using s8 = dtype_with_constraints<qint8>;

using weighted_int8 =
    dtype_config<input_dtype<u8>, output_dtype<u8>, weight_dtype<s8>, bias_dtype<f32>>;
using activation_int8 = dtype_config<input_dtype<u8>, output_dtype<u8>>;

template <class Pattern, auto Root, auto... Fused>
using weighted = backend_pattern_config<Pattern, dtype_configs<weighted_int8>, root_module<Root>,
                                        fused_module<Fused>...>;

template <class Pattern, auto Fused>
using fused = backend_pattern_config<Pattern, dtype_configs<weighted_int8>, fused_module<Fused>>;

template <class Pattern, auto Fused, fuser_kind Fuser>
using folded = backend_pattern_config<Pattern, dtype_configs<weighted_int8>, fused_module<Fused>,
                                      fuser_method<Fuser>>;

// With a scalar the output has the input's parameters, with two tensors its own.
using by_tensor_args =
    num_tensor_args_to_observation_type<observation_type::output_use_different_observer_as_input,
                                        observation_type::output_share_observer_with_input,
                                        observation_type::output_use_different_observer_as_input>;

template <auto... Op>
using binary = backend_pattern_config<pattern<Op...>, dtype_configs<weighted_int8>, by_tensor_args>;

template <auto Op>
using shared =
    backend_pattern_config<pattern<Op>, dtype_configs<activation_int8>, share_observer_with_input>;

}  // namespace x86_parts

// clang-format off
struct x86 : backend_config<"x86",
    x86_parts::weighted<pattern<nn::conv2d>, nn::conv2d>,
    x86_parts::fused<pattern<nn::conv2d, nn::relu>, nni::conv_relu2d>,
    x86_parts::fused<pattern<nn::conv2d, fn::relu>, nni::conv_relu2d>,
    x86_parts::weighted<pattern<nni::conv_relu2d>, nn::conv2d>,
    x86_parts::folded<pattern<nn::conv2d, nn::batch_norm2d>, nni::conv_bn2d, fuser_kind::fuse_conv_bn>,
    x86_parts::folded<pattern<nn::conv2d, nn::batch_norm2d, nn::relu>, nni::conv_bn_relu2d, fuser_kind::fuse_conv_bn_relu>,
    x86_parts::folded<pattern<nn::conv2d, nn::batch_norm2d, fn::relu>, nni::conv_bn_relu2d, fuser_kind::fuse_conv_bn_relu>,
    x86_parts::weighted<pattern<nn::linear>, nn::linear>,
    x86_parts::fused<pattern<nn::linear, nn::relu>, nni::linear_relu>,
    x86_parts::fused<pattern<nn::linear, fn::relu>, nni::linear_relu>,
    x86_parts::weighted<pattern<nni::linear_relu>, nn::linear>,
    x86_parts::binary<op::add>,
    x86_parts::binary<op::add, nn::relu>,
    x86_parts::binary<op::add, fn::relu>,
    x86_parts::binary<fn::add>,
    x86_parts::binary<fn::add, nn::relu>,
    x86_parts::binary<fn::add, fn::relu>,
    x86_parts::shared<fn::cat>,
    x86_parts::shared<nn::relu>,
    x86_parts::shared<fn::relu>,
    x86_parts::shared<nn::max_pool2d>,
    x86_parts::shared<fn::max_pool2d>,
    x86_parts::shared<nn::avg_pool2d>,
    x86_parts::shared<fn::avg_pool2d>,
    x86_parts::shared<nn::adaptive_avg_pool2d>,
    x86_parts::shared<fn::adaptive_avg_pool2d>,
    x86_parts::shared<nn::flatten>,
    x86_parts::shared<fn::flatten>> {};
// clang-format on

}  // namespace ctq
