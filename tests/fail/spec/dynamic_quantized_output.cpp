// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: error: output_dtype: quint8 is given, but dynamic quantization outputs float32
// [dynamic-quantized-output]

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/validate.hpp"

using namespace ctq;

using u8 = dtype_with_constraints<quint8>;
using s8 = dtype_with_constraints<qint8>;
#ifdef CTQ_FIXED
using out = dtype_with_constraints<f32>;
#else
using out = u8;
#endif
using config = dtype_config<input_dtype<u8>, output_dtype<out>, weight_dtype<s8>, is_dynamic>;
struct npu
    : backend_config<"npu", backend_pattern_config<pattern<nn::linear>, dtype_configs<config>>> {};

checked_backend<npu> checked;
