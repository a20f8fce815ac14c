// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "ctq/core/result.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/io/fx_graph.hpp"

namespace tool {

/// Ops of a user's: their names in PyTorch and in C++, "my.Gate" and "my::gate".
using user_op_names = std::map<std::string, std::string, std::less<>>;

/// A model that torch.fx traced, the rows of tools/export_fx.py, as a C++ header: the model as one
/// would write it by hand.
///   rows       JSON
///   file       what errors call the rows
///   name       of the constant, a C++ identifier
///   space      the namespace it is put into
///   source     where the rows come from, for the comment
///   user_ops   ops that ctq does not have: the header's reader has to include them before it, and
///              the compiler finds the shapes behind them
/// Errors  place "net.json:12:3": the row that is wrong, or that the C++ form has no word for;
///         a name or a namespace that C++ does not allow
[[nodiscard]] ctq::result<std::string> import_model(std::string_view rows, const std::string& file,
                                                    const std::string& name,
                                                    const std::string& space,
                                                    const std::string& source,
                                                    const user_op_names& user_ops = {});

/// A traced model with the options and the shapes that it has as a header, and else as it is:
/// nothing if it has no such form.
[[nodiscard]] std::optional<ctq::dynamic_graph<ctq::stage::traced>> with_shapes(
    const ctq::fx_graph& model);

}  // namespace tool
