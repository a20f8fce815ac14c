// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The float implementation of each op, in float32 on tensors of any rank with run-time shapes, with
// PyTorch's parameters and defaults. Some call a kernel. Kernels are tested against
// kernels/reference/, not against these.

#include "ctq/evaluate/float_ops/call.hpp"
