// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/conv_configs.hpp"
#include "ctq/backends/dtype_configs.hpp"
#include "ctq/backends/op_configs.hpp"

// PyTorch's own: the patterns and dtypes of FBGEMM and QNNPACK, without the constraints of either.

namespace ctq {

// clang-format off
/// get_native_backend_config() of PyTorch 2.1: 194 patterns.
struct native : backend_config<"native",
    conv_configs<weighted_int8>,
    linear_configs<weighted_int8, dynamic_int8, dynamic_float16>,
    binary_op_configs<activation_int8>,
    cat_config<activation_int8>,
    default_op_configs<activation_int8>,
    fixed_qparams_op_configs<activation_int8>,
    share_qparams_op_configs<activation_int8>,
    tensor_info_op_configs<activation_int8>,
    bn_configs<activation_int8>,
    ln_configs<layer_norm_int8>,
    rnn_op_configs<dynamic_int8, dynamic_float16>,
    embedding_op_configs<weight_only_quint8, weight_only_quint4x2>> {
  static constexpr bool is_well_formed = true;
};
// clang-format on

}  // namespace ctq
