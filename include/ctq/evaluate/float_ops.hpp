// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The float implementation of each op, in float32 on tensors of any rank with run-time shapes, with
// PyTorch's parameters and defaults. Some call a kernel. What kernels are compared with is
// kernels/reference/.

#include "ctq/evaluate/float_ops/call.hpp"
