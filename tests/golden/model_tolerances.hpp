// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "ctq/graph/graph.hpp"
#include "tensors.hpp"

// By how much the numbers of a model may differ from PyTorch's, and why.

namespace golden {

using lowered_view = ctq::graph_view<ctq::stage::lowered>;

constexpr double float_tolerance = 1e-5;  // of the largest value, or of 1

/// May PyTorch's integers of this node be one more or less?
[[nodiscard]] bool may_be_off_by_one(const ctq::node& n);

/// By how much what the lowered model computes in float may differ: a part of the largest value.
[[nodiscard]] double lowered_tolerance(lowered_view g);

/// Does PyTorch 1.13 mix up pixels and channels (ctq::clamp_ignores_channels_last)?
[[nodiscard]] bool clamps_channels_last(lowered_view g);

/// The class of the error that PyTorch 1.13 raises while it lowers, where ctq has a meaning; empty:
/// it raises none.
[[nodiscard]] std::string lowering_error(lowered_view g);

}  // namespace golden
