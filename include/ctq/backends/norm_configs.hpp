// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/op_categories.hpp"

// Batch norms that are not fused with a convolution, and layer norms.

namespace ctq {

namespace norm_parts {

template <class Dtypes>
using batch_norms =
    configs<rows::fused<Dtypes, pattern<nn::batch_norm2d, nn::relu>, nni::bn_relu2d>,
            rows::fused<Dtypes, pattern<nn::batch_norm2d, fn::relu>, nni::bn_relu2d>,
            rows::plain<Dtypes, nn::batch_norm2d>,
            rows::fused<Dtypes, pattern<nn::batch_norm3d, nn::relu>, nni::bn_relu3d>,
            rows::fused<Dtypes, pattern<nn::batch_norm3d, fn::relu>, nni::bn_relu3d>,
            rows::plain<Dtypes, nn::batch_norm3d>,
            rows::each_plain<Dtypes, nni::bn_relu2d, nni::bn_relu3d>>;

}  // namespace norm_parts

/// Batch norms, alone and with relu: 8 rows.
template <class... DtypeConfig>
using bn_configs = norm_parts::batch_norms<dtype_configs<DtypeConfig...>>;

/// Layer norm as a module and as a function: 2 rows.
template <class... DtypeConfig>
using ln_configs = categories::layer_norms<dtype_configs<DtypeConfig...>>;

}  // namespace ctq
