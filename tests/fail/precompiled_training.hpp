// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For mistakes in training. Others are compiled faster without these headers.

#include "precompiled.hpp"

#include "ctq/train/qat_model.hpp"
