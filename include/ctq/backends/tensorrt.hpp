// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/conv_configs.hpp"
#include "ctq/backends/dtype_configs.hpp"
#include "ctq/backends/op_configs.hpp"
#include "ctq/ops/in_float/addmm.hpp"

// TensorRT via torch_tensorrt's FX frontend: all int8 is signed.

namespace ctq {

namespace tensorrt_parts {

using addmm = rows::function<dtype_configs<signed_weighted_int8>, fn::addmm,
                             {.input = 1, .weight = 2, .bias = 0}>;

}  // namespace tensorrt_parts

// clang-format off
/// get_tensorrt_backend_config() of PyTorch 2.1: 149 patterns.
struct tensorrt : backend_config<"tensorrt",
    conv_configs<signed_weighted_int8>,
    tensorrt_parts::addmm,
    cat_config<signed_activation_int8>,
    linear_configs<signed_weighted_int8>,
    binary_op_configs<signed_weighted_int8>,
    share_qparams_op_configs<signed_activation_int8>,
    tensor_info_op_configs<signed_activation_int8>> {
  static constexpr bool is_well_formed = true;
};
// clang-format on

}  // namespace ctq
