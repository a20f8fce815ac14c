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

[[nodiscard]] bool is_number(const ctq::argument& a);

/// A number that an op has in the place of a tensor, as float32. With floats PyTorch rounds it.
/// False: it is too large, or computes with integers and is not exact.
///   of_integers  the other tensor has integers
[[nodiscard]] bool read_operand(const ctq::argument& a, bool of_integers, float& out);

/// An argument in messages: "None", "0.5", "a list".
[[nodiscard]] std::string shown_argument(const ctq::argument& a);

/// Reads the options of a module, or the literals of a call: arguments by position or by keyword.
///   first  the position of the first option among `arguments` without a keyword
[[nodiscard]] imported_options import_options(ctq::op_id op, ctq::view<ctq::argument> arguments,
                                              int first);

/// The same for a user-defined op, of which only the C++ name is known: module options by name,
/// unchanged. Options that the op does not have do not compile.
[[nodiscard]] imported_options import_user_options(ctq::view<ctq::argument> arguments);

}  // namespace tool
