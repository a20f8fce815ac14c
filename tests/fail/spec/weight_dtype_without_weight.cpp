// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: pattern: torch.nn.MaxPool2d
// expect: error: weight_dtype: qint8 is given, but no op of the pattern has a weight
// [weight-dtype-without-weight]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

using u8 = dtype_with_constraints<quint8>;
using s8 = dtype_with_constraints<qint8>;
#ifdef CTQ_FIXED
using config = dtype_config<input_dtype<u8>, output_dtype<u8>>;
#else
using config = dtype_config<input_dtype<u8>, output_dtype<u8>, weight_dtype<s8>>;
#endif
struct npu
    : backend_config<"npu",
                     backend_pattern_config<pattern<nn::max_pool2d>, dtype_configs<config>>> {};

checked_backend<npu> checked;
