// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/evaluate/float_ops/arguments.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/evaluate/observer_set.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/ops/pass_ops.hpp"

// The options of an evaluator.

namespace ctq {

/// The qparams of values and weights.
struct model_qparams {
  std::map<int, tensor_qparams> activations;                   // by number of the observer
  std::map<std::string, tensor_qparams, std::less<>> weights;  // by path; others are observed
};

/// Whether a node is an observer whose qparams are among the activations. The qparams of dynamic
/// observers are computed in each run, and those of other dtypes do not exist.
[[nodiscard]] inline bool has_calibrated_qparams(const node& n) {
  if (!is_any_of(n.op, q::activation_post_process)) return false;
  const observer_args& args = n.observer_config->args;
  return !args.is_dynamic && is_quantized(args.dtype);
}

/// Computes nodes in place of ctq: a user-defined module, or one that is quantized as a whole. For
/// all others it returns nullopt, and ctq computes them.
///   attributes  those of its module, with the weight rounded as the stage requires
using user_implementation = std::function<std::optional<result<node_value>>(
    const node& n, const std::vector<node_value>& reads,
    const std::vector<float_ops::named_value>& attributes)>;

/// What an evaluator needs besides the graph and the modules.
struct evaluation_options {
  ctq::semantics semantics{};
  bool halve_dynamic_range = false;  // as PyTorch does on engines other than QNNPACK
  observer_set* observers{};         // prepared: they observe the values
  const model_qparams* qparams{};    // reference, lowered
  user_implementation implementation{};
};

}  // namespace ctq
