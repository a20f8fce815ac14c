// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What each op means in float32, on tensors whose shape is known at run time: plain code for any
// rank, with PyTorch's parameters and defaults. It is what other kernels are compared with, and
// what runs where they have no form of their own.

#include "ctq/evaluate/float_ops/call.hpp"
