// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "ctq/passes/prepare.hpp"
#include "tensors.hpp"

// What PyTorch warns of while it prepares: dtype configs that it ignores because of a constraint.

namespace golden {

/// The first words of each warning, in order.
[[nodiscard]] std::vector<std::string> prepare_warnings(ctq::graph_view<ctq::stage::fused> g,
                                                        const ctq::backend_view& backend,
                                                        const ctq::mapping_view& mapping,
                                                        const ctq::prepare_options& options);

/// Empty if these are PyTorch's.
[[nodiscard]] std::string wrong_warnings(const json& wanted, const std::vector<std::string>& got);

}  // namespace golden
