// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// For programs that only run int8 models: what a plan is made of, load_quantized, session. No
// observers, no float models, no calibration, no streams. Of backends those of servers and phones;
// others are in ctq/backends/. See ctq/ctq.hpp for all of ctq.

#include "ctq/core/compiler_flags.hpp"

#include "ctq/backends/qnnpack.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/graph.hpp"
#include "ctq/io/load_quantized.hpp"
#include "ctq/ops.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/converted_model.hpp"
#include "ctq/runtime/session.hpp"
#include "ctq/spec/observer.hpp"
#include "ctq/spec/qconfig.hpp"
#include "ctq/spec/qconfig_mapping.hpp"
