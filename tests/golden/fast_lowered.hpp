// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "ctq/evaluate/evaluation_options.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/graph/graph.hpp"

namespace golden {

/// Evaluates a lowered model by fast kernels; the node whose integers differ from those of `plain`,
/// what each node gives by the reference ones. Empty if there is none.
[[nodiscard]] std::string difference_of_fast_kernels(ctq::graph_view<ctq::stage::lowered> g,
                                                     const ctq::module_state& modules,
                                                     ctq::evaluation_options options,
                                                     const std::vector<ctq::node_value>& inputs,
                                                     const std::vector<ctq::node_value>& plain);

}  // namespace golden
