// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// backends: PyTorch's backend configs and default qconfigs. Data only.

#include "ctq/core/compiler_flags.hpp"

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/default_qconfigs.hpp"
#include "ctq/backends/executorch.hpp"
#include "ctq/backends/fbgemm.hpp"
#include "ctq/backends/native.hpp"
#include "ctq/backends/onednn.hpp"
#include "ctq/backends/qconfigs.hpp"
#include "ctq/backends/qnnpack.hpp"
#include "ctq/backends/tensorrt.hpp"
#include "ctq/backends/x86.hpp"
