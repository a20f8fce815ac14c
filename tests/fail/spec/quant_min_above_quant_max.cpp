// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<13>{"backend: npu"}
// expect: line<27>{"pattern: (torch.nn.Conv2d,"}
// expect: input_dtype.quant_min: 200
// expect: quant_max: 100

#include "ctq/core/ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using activation = dtype_with_constraints<quint8, quant_min<0>, quant_max<100>>;
#else
using activation = dtype_with_constraints<quint8, quant_min<200>, quant_max<100>>;
#endif
using config = dtype_config<input_dtype<activation>, output_dtype<activation>>;
struct npu
    : backend_config<"npu",
                     backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<config>>> {
};

checked_backend<npu> checked;
