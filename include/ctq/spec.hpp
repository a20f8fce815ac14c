// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// spec: PyTorch's BackendConfig and QConfigMapping, as types with plain records.

#include "ctq/core/compiler_flags.hpp"

#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/backend_pattern_config.hpp"
#include "ctq/spec/backend_spec.hpp"
#include "ctq/spec/custom_config.hpp"
#include "ctq/spec/dtype_config.hpp"
#include "ctq/spec/dtype_with_constraints.hpp"
#include "ctq/spec/finding.hpp"
#include "ctq/spec/fused_parts.hpp"
#include "ctq/spec/fuser_method.hpp"
#include "ctq/spec/name_regex.hpp"
#include "ctq/spec/node_path.hpp"
#include "ctq/spec/observation_type.hpp"
#include "ctq/spec/observer.hpp"
#include "ctq/spec/op_index.hpp"
#include "ctq/spec/overlap.hpp"
#include "ctq/spec/pattern.hpp"
#include "ctq/spec/qconfig.hpp"
#include "ctq/spec/qconfig_mapping.hpp"
#include "ctq/spec/qconfig_text.hpp"
#include "ctq/spec/rule.hpp"
#include "ctq/spec/validate.hpp"
#include "ctq/spec/validate_config.hpp"
#include "ctq/spec/validate_fusion.hpp"
#include "ctq/spec/validate_mapping.hpp"
