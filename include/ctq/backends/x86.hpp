// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/conv_configs.hpp"
#include "ctq/backends/dtype_configs.hpp"
#include "ctq/backends/op_configs.hpp"

// PyTorch's default on x86: for each layer the faster one of FBGEMM and oneDNN.

namespace ctq {

// clang-format off
/// get_x86_backend_config() of PyTorch 2.1: 192 patterns. Arithmetic and fixed-qparams ops have the
/// dtype config of weighted ones there, which is equivalent, since they have no weight.
struct x86 : backend_config<"x86",
    conv_configs<weighted_int8>,
    linear_configs<weighted_int8, dynamic_int8, dynamic_float16>,
    binary_op_configs<weighted_int8>,
    cat_config<activation_int8>,
    default_op_configs<activation_int8>,
    fixed_qparams_op_configs<weighted_int8>,
    share_qparams_op_configs<activation_int8>,
    tensor_info_op_configs<activation_int8>,
    bn_configs<activation_int8>,
    rnn_op_configs<dynamic_int8, dynamic_float16>,
    embedding_op_configs<weight_only_quint8, weight_only_quint4x2>> {
  static constexpr bool is_well_formed = true;
};
// clang-format on

}  // namespace ctq
