// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: backend: npu config: #0
// expect: an argument, such as input_dtype or quant_min, is given twice
// expect: with different values: remove one

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

using u8 = dtype_with_constraints<quint8>;
#ifdef CTQ_FIXED
using int8 = dtype_config<input_dtype<u8>, output_dtype<u8>>;
#else
using int8 =
    dtype_config<input_dtype<dtype_with_constraints<qint8>>, output_dtype<u8>, input_dtype<u8>>;
#endif
struct npu : backend_config<"npu", backend_pattern_config<pattern<nn::relu>, dtype_configs<int8>>> {
};

checked_backend<npu> checked;
