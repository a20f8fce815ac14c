// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ctq/evaluate/evaluator.hpp"
#include "ctq/evaluate/observer_set.hpp"

// By how much the output of a model may differ from PyTorch's since values inside may be rounded
// otherwise: computed by running the rest of the model with the other values.
//
//   values  of all nodes, in a run without such differences

namespace golden {

/// If the integers of nodes that are inexact may be off by one: what comes of it if those of one
/// such node are, the largest of a few ways, added up over these nodes.
///   inside  by how much the outputs of standalone modules may differ, by path
[[nodiscard]] double deviation_of_integers(ctq::evaluator<ctq::stage::lowered>& run,
                                           const std::vector<ctq::node_value>& values,
                                           const std::map<std::string, double>& inside);

/// If rounding errors of floats decide how a quantize rounds ties.
[[nodiscard]] double deviation_of_ties(ctq::evaluator<ctq::stage::reference>& run,
                                       const std::vector<ctq::node_value>& values);

/// The same of the fake quantizes of a model in training, whose observers are switched off.
[[nodiscard]] double deviation_of_ties(ctq::evaluator<ctq::stage::prepared>& run,
                                       const std::vector<ctq::node_value>& values,
                                       const ctq::observer_set& observers);

}  // namespace golden
