// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "tensors.hpp"

// Rows of torch.fx, changed as another tracing of the same model would have given them.

namespace golden {

/// The row of that name, or null.
[[nodiscard]] const json* find_row(const json& rows, const std::string& name);

/// The path or name that a row reads at this position; empty if there is no node.
[[nodiscard]] std::string node_at(const json& row, std::size_t position);

/// The graph of that module alone.
///   call  the row that calls it as one: its arguments are the inputs, in order
[[nodiscard]] json inside_of(const json& rows, const std::string& path, const json& call);

/// What was traced before a model was prepared for training: without observers, and with the
/// modules that fusion has put together. Those that are not in the graph any more are found by
/// their classes, in the order of the model.
[[nodiscard]] json before_training(const json& prepared, const json& modules);

}  // namespace golden
