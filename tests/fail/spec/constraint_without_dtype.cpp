// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: warning: input_dtype: constraints without a dtype [constraint-without-dtype]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

struct npu
    : backend_config<"npu",
#ifdef CTQ_FIXED
                     backend_pattern_config<pattern<nn::relu>,
                                            dtype_configs<dtype_config<input_dtype<
                                                dtype_with_constraints<quint8, scale_min<0.5>>>>>>
#else
                     backend_pattern_config<
                         pattern<nn::relu>,
                         dtype_configs<dtype_config<
                             input_dtype<dtype_with_constraints<dtype::none, scale_min<0.5>>>>>>
#endif
                     > {
};

checked_backend<npu, strictness::warnings> checked;
