// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/backends/op_categories.hpp"

// Addition and multiplication of two values.

namespace ctq {

namespace binary_parts {

/// An op followed by each form of relu, and alone.
template <class Dtypes, auto Op>
using with_relu =
    configs<rows::arithmetic<Dtypes, Op, nn::relu>, rows::arithmetic<Dtypes, Op, fn::relu>,
            rows::arithmetic<Dtypes, Op, fn::torch_relu>, rows::arithmetic<Dtypes, Op>>;

/// 4 rows for each op.
template <class Dtypes, auto... Op>
using each_with_relu = configs<with_relu<Dtypes, Op>...>;

}  // namespace binary_parts

/// Sums and products as operators and as functions, and matmul: 17 rows.
template <class... DtypeConfig>
using binary_op_configs =
    configs<categories::arithmetic<binary_parts::each_with_relu, dtype_configs<DtypeConfig...>>,
            rows::plain<dtype_configs<DtypeConfig...>, fn::matmul>>;

}  // namespace ctq
