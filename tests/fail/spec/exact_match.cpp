// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: backend: npu
// expect: error: input_dtype.zero_point_exact_match: 256 is outside quint8, which holds 0 to 255
// [exact-match]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
using constraints = dtype_with_constraints<quint8, exact_qparams<0x1p-8, 255>>;
#else
using constraints = dtype_with_constraints<quint8, exact_qparams<0x1p-8, 256>>;
#endif
using config = dtype_config<input_dtype<constraints>>;
struct npu
    : backend_config<"npu", backend_pattern_config<pattern<nn::sigmoid>, dtype_configs<config>>> {};

checked_backend<npu> checked;
