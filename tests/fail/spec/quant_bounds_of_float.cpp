// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: backend: npu
// expect: error: input_dtype.quant_min_lower_bound: float32 has no integers
// [quant-bounds-outside-dtype]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using constraints = dtype_with_constraints<f32>;
#else
using constraints = dtype_with_constraints<f32, quant_min<0>, quant_max<255>>;
#endif
using config = dtype_config<input_dtype<constraints>>;
struct npu
    : backend_config<"npu",
                     backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<config>>> {
};

checked_backend<npu> checked;
