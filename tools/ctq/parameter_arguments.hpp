// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "ctq/graph/fx_row.hpp"
#include "ctq/ops/op.hpp"

// The calls of functions whose parameters are arguments, as PyTorch writes them,
// F.conv2d(x, weight, None, 2, padding=1), and of modules with options: attention(q, k, v).

namespace tool {

struct named_arguments {
  std::vector<ctq::argument> literals;  // with the names of their parameters
  std::string problem;                  // what ctq's op does not support, or empty
};

/// Whether a module has arguments of its calls besides the options of its constructor.
[[nodiscard]] bool has_named_arguments(ctq::op_id op);

/// The literals of a call by name, without those that say that a parameter is not there; tensors
/// must be the input, the weight and the bias, or those of the module, in this order.
[[nodiscard]] named_arguments name_arguments(ctq::op_id op, ctq::view<ctq::argument> arguments);

}  // namespace tool
