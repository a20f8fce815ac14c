// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/graph.hpp"
#include "ctq/spec/observer.hpp"
#include "tensors.hpp"

// By how much the numbers of a model may differ from PyTorch's, and why.

namespace golden {

using lowered_view = ctq::graph_view<ctq::stage::lowered>;

constexpr double float_tolerance = 1e-5;  // of the largest value, or of 1

/// Of the scale that an observer of computed values gives.
///   wanted  what PyTorch's observer saw and gave
[[nodiscard]] double scale_tolerance(const ctq::observer_record& r, const json& wanted,
                                     double scale);

/// Steps by which integers that the lowered model gives may differ.
[[nodiscard]] double allowed_steps(lowered_view g);

/// The same for what stays in float: a part of the largest value.
[[nodiscard]] double lowered_tolerance(lowered_view g);

/// Does PyTorch 1.13 mix up pixels and channels (ctq::clamp_ignores_channels_last)?
[[nodiscard]] bool clamps_channels_last(lowered_view g);

/// Does PyTorch 1.13 raise an error where ctq has a meaning: while it converts, while it runs?
[[nodiscard]] bool has_transposed_per_channel(lowered_view g);
[[nodiscard]] bool pytorch_cannot_lower(lowered_view g);

}  // namespace golden
