// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: backend: npu
// expect: error: input_dtype.scale_min_lower_bound: 0 is not a positive, finite float32
// [scale-not-positive]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using constraints = dtype_with_constraints<quint8, scale_min<0x1p-12>>;
#else
using constraints = dtype_with_constraints<quint8, scale_min<0.0>>;
#endif
using config = dtype_config<input_dtype<constraints>>;
struct npu
    : backend_config<"npu",
                     backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<config>>> {
};

checked_backend<npu> checked;
