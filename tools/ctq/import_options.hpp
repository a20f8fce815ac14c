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
  std::string code;     // "{.out_channels = 6, .kernel_size = 5}": what differs from the defaults
  std::string problem;  // what ctq's op cannot do; empty if it can
};

/// The name of an op in C++, "nn::conv2d"; empty for one that ctq does not know.
[[nodiscard]] std::string_view builder_of(ctq::op_id op);

/// Takes the options of a module, or the literals of a call: arguments by position or by keyword.
///   first  the position of the first option among `arguments` without a keyword
[[nodiscard]] imported_options import_options(ctq::op_id op, ctq::view<ctq::argument> arguments,
                                              int first);

/// The same for an op of a user's, of which only the C++ name is known: module options as they
/// are, by name. What does not fit the op's options does not compile.
[[nodiscard]] imported_options import_user_options(ctq::view<ctq::argument> arguments);

}  // namespace tool
