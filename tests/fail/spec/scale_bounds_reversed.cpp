// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<13>{"backend: npu"}
// expect: line<27>{"pattern: (torch.nn.Conv2d,"}
// expect: input_dtype.scale_min
// expect: scale_max

#include "ctq/core/ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using activation = dtype_with_constraints<quint8, scale_min<0x1p-12>, scale_max<1.0>>;
#else
using activation = dtype_with_constraints<quint8, scale_min<1.0>, scale_max<0x1p-12>>;
#endif
using config = dtype_config<input_dtype<activation>, output_dtype<activation>>;
struct npu
    : backend_config<"npu",
                     backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<config>>> {
};

checked_backend<npu> checked;
