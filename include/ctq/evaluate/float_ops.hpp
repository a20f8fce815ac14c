// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The float implementation of each op, in float32 on tensors of any rank with run-time shapes:
// plain code with PyTorch's parameters and defaults. Kernels are compared with it, and it runs
// where there is no kernel.

#include "ctq/evaluate/float_ops/call.hpp"
