// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// passes: what is decided about a model. Each is one constexpr function from graph to graph; plan
// is all of them for a model, a backend and a mapping.

#include "ctq/passes/check_convert_mapping.hpp"
#include "ctq/passes/check_dtype_config.hpp"
#include "ctq/passes/code_options.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/dead_nodes.hpp"
#include "ctq/passes/dtype_choice.hpp"
#include "ctq/passes/equalize.hpp"
#include "ctq/passes/explain/explain.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/integer_forms.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/lower/missing_kernel.hpp"
#include "ctq/passes/mapping_names.hpp"
#include "ctq/passes/match.hpp"
#include "ctq/passes/pattern_index.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/passes/plan_options.hpp"
#include "ctq/passes/prepare.hpp"
#include "ctq/passes/reference_ops.hpp"
#include "ctq/passes/rejection_text.hpp"
#include "ctq/passes/resolve_qconfig.hpp"
#include "ctq/passes/schedule/check_functions.hpp"
#include "ctq/passes/schedule/code_choice.hpp"
#include "ctq/passes/schedule/fused_steps.hpp"
#include "ctq/passes/schedule/memory.hpp"
#include "ctq/passes/schedule/schedule.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/passes/schedule/step_writer.hpp"
