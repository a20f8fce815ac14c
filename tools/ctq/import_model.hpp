// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cpp_call.hpp"
#include "ctq/core/diagnostic.hpp"
#include "ctq/core/result.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/io/fx_graph.hpp"

namespace tool {

/// What a header contains besides the model.
struct header_form {
  std::string_view includes = "#include <ctq/ctq.hpp>\n";
  std::string_view command = "ctq import";  // that wrote it
};

/// A model that torch.fx traced, the rows of tools/export_fx.py, as a C++ header: the model as one
/// would write it by hand.
///   rows       JSON
///   file       the name of the rows in errors
///   name       of the constant, a C++ identifier
///   space      its namespace
///   source     where the rows come from, for the comment
///   user_ops   user-defined ops: they must be included before the header, and the compiler infers
///              the shapes of their outputs
/// Errors  place "net.json:12:3": an invalid row, or one that has no equivalent in
///         C++; an invalid name or namespace
[[nodiscard]] ctq::result<std::string> import_model(std::string_view rows, const std::string& file,
                                                    const std::string& name,
                                                    const std::string& space,
                                                    const std::string& source,
                                                    const user_op_names& user_ops = {},
                                                    const header_form& form = {});

/// The message of a pass in one line.
[[nodiscard]] std::string in_one_line(const ctq::diagnostic& problem);

/// A traced model with the options and shapes that its header would have, without the nodes that
/// are numbers there. Refers to the rows.
struct shaped_model {
  ctq::dynamic_graph<ctq::stage::traced> graph;
  std::deque<std::vector<ctq::argument>> arguments;  // of the nodes
  std::deque<ctq::fx_row> rows;
  std::deque<std::string> names;  // of nodes that the traced model does not have

  [[nodiscard]] ctq::graph_view<ctq::stage::traced> view() const& { return graph.view(); }
  ctq::graph_view<ctq::stage::traced> view() const&& = delete;
};

/// Errors  it has no equivalent in C++, in the words of import_model
[[nodiscard]] ctq::result<shaped_model> with_shapes(const ctq::fx_graph& model);

}  // namespace tool
