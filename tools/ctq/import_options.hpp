// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "ctq/core/attributes.hpp"
#include "ctq/graph/fx_row.hpp"
#include "ctq/ops/op.hpp"

// From the arguments of PyTorch's modules and functions to the options of ctq's ops.

namespace tool {

/// The options of one call, as a node has them and as C++ writes them.
struct imported_options {
  ctq::attributes attrs;
  std::string code;     // "{.out_channels = 6, .kernel_size = 5}": without defaults
  std::string problem;  // what ctq's op does not support, or empty
};

/// The name of an op in C++, "nn::conv2d"; empty if ctq does not have it.
[[nodiscard]] std::string_view builder_of(ctq::op_id op);

/// A number in a call as float32; false if it has none: it is no number, or too large, or an
/// integer that is not exact.
[[nodiscard]] bool read_number(const ctq::argument& a, float& out);

/// Reads the options of a module, or the literals of a call: arguments by position or by keyword.
///   first  the position of the first option among `arguments` without a keyword
[[nodiscard]] imported_options import_options(ctq::op_id op, ctq::view<ctq::argument> arguments,
                                              int first);

/// The same for a user-defined op, of which only the C++ name is known: module options by name,
/// unchanged. Options that the op does not have do not compile.
[[nodiscard]] imported_options import_user_options(ctq::view<ctq::argument> arguments);

}  // namespace tool
