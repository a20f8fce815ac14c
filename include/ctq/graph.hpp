// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// graph: models as lists of named nodes, in a constant or at run time, and the shapes of what the
// nodes compute.

#include "ctq/core/compiler_flags.hpp"

#include "ctq/graph/graph.hpp"
#include "ctq/graph/integers.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/graph/module_of.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/graph/parameter_arguments.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/graph/scratch_array.hpp"
#include "ctq/graph/shape_rules.hpp"
#include "ctq/ops/shape_checks.hpp"
