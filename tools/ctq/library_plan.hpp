// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "ctq/graph/graph.hpp"
#include "ctq/passes/prepare_options.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"
#include "import_library.hpp"

namespace tool {

/// The first reason why the plan would not compile; empty if it does.
[[nodiscard]] std::string plan_problem(const ctq::graph_view<ctq::stage::traced>& traced,
                                       const ctq::backend_view& backend,
                                       const ctq::mapping_view& mapping, ctq::unsupported policy);

/// C++ code: the includes, and the types of the backend, the mapping and the plan.
struct plan_parts {
  std::string includes, types;
};

[[nodiscard]] plan_parts plan_parts_of(const library_request& r);

}  // namespace tool
