// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/rows.hpp"

// Fully connected layers: alone, with relu, with batch norm, and their modules for training.

namespace ctq {

namespace linear_parts {

template <class Dtypes>
using alone = configs<rows::trainable<Dtypes, nn::linear, nn::linear, nnqat::linear, nnqr::linear>,
                      rows::rooted<Dtypes, nnqat::linear, nn::linear, nnqr::linear>,
                      rows::function<Dtypes, fn::linear, {.weight = 1, .bias = 2}>>;

template <class Dtypes>
using fused = configs<
    rows::fused<Dtypes, pattern<nn::linear, nn::relu>, nni::linear_relu>,
    rows::fused<Dtypes, pattern<nn::linear, fn::relu>, nni::linear_relu>,
    rows::trainable<Dtypes, nni::linear_relu, nn::linear, nniqat::linear_relu, nnqr::linear>,
    rows::rooted<Dtypes, nniqat::linear_relu, nn::linear, nnqr::linear>,
    rows::plain<Dtypes, fn::linear, nn::relu>, rows::plain<Dtypes, fn::linear, fn::relu>,
    rows::fused_by<Dtypes, pattern<nn::linear, nn::batch_norm1d>, nni::linear_bn1d, fuse_linear_bn>,
    rows::trainable<Dtypes, nni::linear_bn1d, nn::linear, nniqat::linear_bn1d, nnqr::linear>,
    rows::rooted<Dtypes, nniqat::linear_bn1d, nn::linear, nnqr::linear>>;

}  // namespace linear_parts

/// Linear layers without fusion: 3 rows.
template <class... DtypeConfig>
using unfused_linear_configs = linear_parts::alone<dtype_configs<DtypeConfig...>>;

/// Linear layers: 12 rows.
template <class... DtypeConfig>
using linear_configs = configs<linear_parts::alone<dtype_configs<DtypeConfig...>>,
                               linear_parts::fused<dtype_configs<DtypeConfig...>>>;

}  // namespace ctq
