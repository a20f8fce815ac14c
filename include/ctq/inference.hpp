// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// For programs that only run int8 models: what a plan is made of, load_quantized, session. No
// observers, no float models, no calibration. See ctq/ctq.hpp for all of ctq.

#include "ctq/backends.hpp"
#include "ctq/graph.hpp"
#include "ctq/io/load_quantized.hpp"
#include "ctq/ops.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/converted_model.hpp"
#include "ctq/runtime/session.hpp"
#include "ctq/spec.hpp"
