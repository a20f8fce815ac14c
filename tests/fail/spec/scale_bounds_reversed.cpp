// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: backend: npu
// expect: error: input_dtype.scale_min_lower_bound: 0.5 is above scale_max_upper_bound, 0.25
// [scale-bounds-reversed]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using constraints = dtype_with_constraints<quint8, scale_min<0.25>, scale_max<0.5>>;
#else
using constraints = dtype_with_constraints<quint8, scale_min<0.5>, scale_max<0.25>>;
#endif
using config = dtype_config<input_dtype<constraints>>;
struct npu
    : backend_config<"npu",
                     backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<config>>> {
};

checked_backend<npu> checked;
