// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/conv_configs.hpp"
#include "ctq/backends/dtype_configs.hpp"
#include "ctq/backends/op_configs.hpp"

// QNNPACK and XNNPACK, for ARM processors. The signed, symmetric configs for XNNPACK come first.

namespace ctq {

// clang-format off
/// get_qnnpack_backend_config() of PyTorch 2.1: 190 patterns.
struct qnnpack : backend_config<"qnnpack",
    conv_configs<symmetric_weighted_int8, weighted_int8>,
    linear_configs<symmetric_weighted_int8, weighted_int8, dynamic_int8, dynamic_float16>,
    binary_op_configs<symmetric_activation_int8, activation_int8>,
    cat_config<symmetric_activation_int8, activation_int8>,
    default_op_configs<symmetric_activation_int8, activation_int8>,
    fixed_qparams_op_configs<symmetric_activation_int8, activation_int8>,
    share_qparams_op_configs<symmetric_activation_int8, activation_int8>,
    bn_configs<symmetric_activation_int8, activation_int8>,
    rnn_op_configs<dynamic_int8, dynamic_float16>,
    embedding_op_configs<weight_only_quint8, weight_only_quint4x2>> {
  static constexpr bool is_well_formed = true;
};
// clang-format on

}  // namespace ctq
