// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/rows.hpp"

// Activation functions whose output has another range than the input, and similar ops.

namespace ctq {

/// ELU, leaky and parametric relu, hardswish, instance and group norm, dropout: 14 rows.
template <class... DtypeConfig>
using default_op_configs = configs<
    rows::each_plain<dtype_configs<DtypeConfig...>, nn::elu, nn::leaky_relu, nn::hardswish,
                     nn::instance_norm1d, nn::instance_norm2d, nn::instance_norm3d, nn::dropout,
                     nn::prelu, fn::elu, fn::hardswish, fn::leaky_relu, fn::dropout>,
    rows::function<dtype_configs<DtypeConfig...>, fn::group_norm, {.weight = 2, .bias = 3}>,
    rows::function<dtype_configs<DtypeConfig...>, fn::instance_norm, {.weight = 3, .bias = 4}>>;

}  // namespace ctq
