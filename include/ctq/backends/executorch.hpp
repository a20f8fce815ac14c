// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/binary_op_configs.hpp"
#include "ctq/backends/conv_configs.hpp"
#include "ctq/backends/dtype_configs.hpp"
#include "ctq/backends/embedding_op_configs.hpp"
#include "ctq/backends/linear_configs.hpp"

// ExecuTorch: XNNPACK on mobile devices.

namespace ctq {

namespace executorch_parts {

using activations = dtype_configs<symmetric_activation_int8, activation_int8>;

/// Unlike the other backends, with differences and without matmul.
using arithmetic =
    binary_parts::each_with_relu<dtype_configs<symmetric_activation_int8, weighted_int8>, op::add,
                                 fn::add, op::sub, fn::sub, op::mul, fn::mul>;

/// Unlike the other backends, with ELU and leaky relu, and without nn.ReLU.
using sharing =
    rows::each_sharing<activations, fn::adaptive_avg_pool2d, fn::elu, fn::hardtanh, fn::max_pool2d,
                       fn::pad, fn::relu, fn::relu6, fn::leaky_relu, fn::leaky_relu_,
                       nn::adaptive_avg_pool2d, nn::constant_pad2d, nn::elu, nn::max_pool2d,
                       nn::relu6, nn::hardtanh, nn::leaky_relu, fn::clamp, fn::flatten, fn::mean,
                       fn::permute, fn::permute_copy, fn::squeeze, method::clamp, method::mean,
                       method::permute, method::reshape, method::relu, method::relu_,
                       method::squeeze, method::squeeze_, method::leaky_relu>;

}  // namespace executorch_parts

// clang-format off
/// get_executorch_backend_config() of PyTorch 2.1: 83 patterns.
struct executorch : backend_config<"executorch",
    unfused_linear_configs<symmetric_weighted_int8, weighted_int8, dynamic_int8,
                           symmetric_dynamic_int8, dynamic_float16>,
    conv2d_configs<symmetric_weighted_int8, weighted_int8>,
    executorch_parts::arithmetic,
    executorch_parts::sharing,
    rows::plain<executorch_parts::activations, nn::batch_norm2d>,
    rows::each_sharing<executorch_parts::activations, fn::cat, fn::concat, fn::concatenate>,
    embedding_configs<weight_only_quint8>,
    rows::function<dtype_configs<weight_only_quint8>, fn::embedding, {.weight = 1}>,
    embedding_bag_configs<weight_only_quint8>> {
  static constexpr bool is_well_formed = true;
};
// clang-format on

}  // namespace ctq
