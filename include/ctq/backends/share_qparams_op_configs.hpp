// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/op_categories.hpp"

// Ops that move, compare or average values, so that the output keeps the input's quantization
// parameters, and ops that only query a tensor.

namespace ctq {

/// Pooling, relu, views and similar ops: 59 rows.
template <class... DtypeConfig>
using share_qparams_op_configs = categories::input_scale<dtype_configs<DtypeConfig...>>;

/// cat: all inputs share one scale.
template <class... DtypeConfig>
using cat_config = rows::sharing<dtype_configs<DtypeConfig...>, fn::cat>;

/// shape and size, which do not return a tensor: 2 rows.
template <class... DtypeConfig>
using tensor_info_op_configs = configs<
    backend_pattern_config<pattern<method::shape>, dtype_configs<DtypeConfig...>, not_observed>,
    backend_pattern_config<pattern<method::size>, dtype_configs<DtypeConfig...>, not_observed>>;

}  // namespace ctq
