// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/conv_configs.hpp"
#include "ctq/backends/dtype_configs.hpp"
#include "ctq/backends/op_configs.hpp"

// ExecuTorch: XNNPACK on mobile devices.

namespace ctq {

namespace executorch_parts {

using activations = dtype_configs<symmetric_activation_int8, activation_int8>;

/// Unlike the other backends, with subtraction and without matmul.
using arithmetic =
    categories::xnnpack_arithmetic<binary_parts::each_with_relu,
                                   dtype_configs<symmetric_activation_int8, weighted_int8>>;

/// Fewer ops than the other backends, but ELU, leaky relu and pad, too.
using sharing = categories::xnnpack_input_scale<activations>;

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
