// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/op_categories.hpp"

// Activation functions whose output has another range than the input, and similar ops.

namespace ctq {

/// Activations with a scale of their own, instance and group norm, dropout: 14 rows.
template <class... DtypeConfig>
using default_op_configs = configs<
    categories::own_scale<dtype_configs<DtypeConfig...>>,
    rows::function<dtype_configs<DtypeConfig...>, fn::group_norm, {.weight = 2, .bias = 3}>,
    rows::function<dtype_configs<DtypeConfig...>, fn::instance_norm, {.weight = 3, .bias = 4}>>;

}  // namespace ctq
