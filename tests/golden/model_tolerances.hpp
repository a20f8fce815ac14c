// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "ctq/evaluate/module_state.hpp"
#include "ctq/graph/graph.hpp"
#include "model_stages.hpp"
#include "tensors.hpp"

// By how much the numbers of a model may differ from PyTorch's, and why.

namespace golden {

using lowered_view = ctq::graph_view<ctq::stage::lowered>;

constexpr double float_tolerance = 1e-5;  // of the largest value, or of 1

/// May PyTorch's integers of this node be one more or less?
[[nodiscard]] bool may_be_off_by_one(const ctq::node& n);

/// By how much what the lowered model computes in float may differ: a part of the largest value.
[[nodiscard]] double lowered_tolerance(lowered_view g);

/// How much the order in which layers add their products may change the scale of the observer at
/// i: terms that cancel leave the last bits of larger numbers, 4 units in the last place of the sum
/// of their absolute values. So do layer norms, which PyTorch computes as x·r − mean·r. Later
/// layers amplify the error. Layers whose input is not observed add none.
///   shown  the inputs of calibration
[[nodiscard]] double lost_in_sums(model_stages& stages, const ctq::module_state& modules,
                                  const std::vector<model_stages::values>& shown, int i);

/// PyTorch 1.13 computes elu as exp(x) - 1, so small results have the error of exp near 1, half
/// of 2^-23; ctq's expm1 has not. How much a scale may be off for both ends of a range, 0 if what
/// the observer at i sees is no elu.
[[nodiscard]] double lost_by_elu(ctq::graph_view<ctq::stage::prepared> g, int i);

/// Does PyTorch 1.13 mix up pixels and channels (ctq::clamp_ignores_channels_last)?
[[nodiscard]] bool clamps_channels_last(lowered_view g);

/// The class of the error that PyTorch 1.13 raises while it lowers, where ctq has a meaning; empty:
/// it raises none.
[[nodiscard]] std::string lowering_error(lowered_view g);

}  // namespace golden
