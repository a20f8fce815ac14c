// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: no kernel has this signature: linear_dynamic, quint8 to quint8 instruction set: scalar
// expect: element types of this kernel: float32 to float32

#include "ctq/runtime/bind_kernels.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
constexpr dtype type = f32;
#else
constexpr dtype type = quint8;
#endif
constexpr kernel_signature key =
    signature_of(kernel::linear_dynamic, type, type,
              linear_shape{.rows = 4, .in_features = 3, .out_features = 2});

void run(const operands& x) { run_kernel<key, reference_kernels>(x); }
