// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "ctq/graph/graph.hpp"

namespace tool {

/// By node of a traced model: whether its values are indices, as a reader of them, or of what is
/// computed from them, or their own row says.
[[nodiscard]] std::vector<bool> nodes_of_indices(ctq::graph_view<ctq::stage::traced> g);

}  // namespace tool
