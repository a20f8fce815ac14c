// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What most mistakes include, compiled once for all of them. They still include it themselves: the
// long run has no precompiled headers. Lower layers come first, so that errors in them name few
// files.

#include "ctq/spec/pattern.hpp"

#include "ctq/spec/validate.hpp"
#include "ctq/spec/validate_mapping.hpp"

#include "ctq/graph/model.hpp"
#include "ctq/ops/builtin_ops.hpp"

#include "ctq/passes/plan_stages.hpp"

#include "ctq/backends/x86.hpp"
#include "ctq/passes/plan.hpp"
