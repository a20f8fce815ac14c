// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/conv_configs.hpp"
#include "ctq/backends/dtype_configs.hpp"
#include "ctq/backends/onednn_configs.hpp"
#include "ctq/backends/op_configs.hpp"

// oneDNN, Intel's library: it also fuses a convolution with a following add, and a linear layer
// with leaky relu or tanh.

namespace ctq {

// clang-format off
/// get_onednn_backend_config() of PyTorch 2.1: 221 patterns.
struct onednn : backend_config<"onednn",
    conv_configs<weighted_int8>,
    conv_add_configs<weighted_int8>,
    linear_configs<weighted_int8, dynamic_int8>,
    linear_activation_configs<weighted_int8, dynamic_int8>,
    binary_op_configs<activation_int8>,
    cat_config<activation_int8>,
    default_op_configs<activation_int8>,
    fixed_qparams_op_configs<activation_int8>,
    share_qparams_op_configs<activation_int8>,
    bn_configs<activation_int8>,
    ln_configs<layer_norm_int8>,
    rnn_op_configs<dynamic_int8>,
    embedding_op_configs<weight_only_qint8>> {
  static constexpr bool is_well_formed = true;
};
// clang-format on

}  // namespace ctq
