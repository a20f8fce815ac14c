// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// backends: what PyTorch's backends support. Data only.

#include "ctq/backends/x86.hpp"
