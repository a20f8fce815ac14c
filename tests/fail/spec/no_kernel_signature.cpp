// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: no kernel supports input quint8, output quint8, weight quint8, bias none
// [no-kernel-signature]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

using u8 = dtype_with_constraints<quint8>;
#ifdef CTQ_FIXED
using weight = dtype_with_constraints<qint8>;
#else
using weight = u8;
#endif
using config = dtype_config<input_dtype<u8>, output_dtype<u8>, weight_dtype<weight>>;
struct npu
    : backend_config<"npu", backend_pattern_config<pattern<nn::linear>, dtype_configs<config>>> {};

checked_backend<npu> checked;
