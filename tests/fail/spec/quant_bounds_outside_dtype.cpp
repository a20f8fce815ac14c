// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: backend: npu
// expect: pattern: (torch.nn.Conv2d, torch.nn.ReLU)
// expect: dtype_config: #0 of 1
// expect: error: input_dtype.quant_max_upper_bound: 300 is outside quint8, which holds 0 to 255
// [quant-bounds-outside-dtype]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using constraints = dtype_with_constraints<quint8, quant_min<0>, quant_max<255>>;
#else
using constraints = dtype_with_constraints<quint8, quant_min<0>, quant_max<300>>;
#endif
using config = dtype_config<input_dtype<constraints>>;
struct npu
    : backend_config<"npu",
                     backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<config>>> {
};

checked_backend<npu> checked;
