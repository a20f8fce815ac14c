// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What mistakes in training include as well; for others it would only be more to read.

#include "precompiled.hpp"

#include "ctq/train/qat_model.hpp"
