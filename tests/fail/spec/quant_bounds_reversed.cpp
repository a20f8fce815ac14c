// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: backend: npu
// expect: error: input_dtype.quant_min_lower_bound: 100 is above quant_max_upper_bound, 50
// [quant-bounds-reversed]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using constraints = dtype_with_constraints<quint8, quant_min<50>, quant_max<100>>;
#else
using constraints = dtype_with_constraints<quint8, quant_min<100>, quant_max<50>>;
#endif
using config = dtype_config<input_dtype<constraints>>;
struct npu
    : backend_config<"npu",
                     backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<config>>> {
};

checked_backend<npu> checked;
