// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "import_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "cpp_names.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/io/read_fx.hpp"
#include "ctq/json/position.hpp"
#include "model_rows.hpp"

namespace tool {

namespace {

using ctq::argument;
using kind = ctq::argument::kind;

/// The column of calls, if the names are not longer.
constexpr std::size_t longest_aligned = 60;

/// An error at the row of a node: "net.json:12:3", "node relu: …".
ctq::unexpected failed_at(std::string_view file, std::string_view text, std::uint32_t offset,
                          std::string cause) {
  std::string place;
  ctq::json::append_position(place, file, ctq::json::position_at(text.data(), text.size(), offset));
  return ctq::fail(std::move(place), std::move(cause));
}

/// The model as a C++ constant would have it, or its error: shapes that do not match, ops without a
/// shape rule. Refers to the rows.
auto linked(const std::vector<model_row>& rows) {
  std::vector<std::vector<std::string_view>> reads(rows.size());
  std::vector<ctq::linking::pending> pending;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const int a : rows[i].reads) reads[i].push_back(rows[static_cast<std::size_t>(a)].name);
    pending.push_back({rows[i].name, rows[i].op, &rows[i].attrs, reads[i].data(),
                       static_cast<int>(reads[i].size())});
  }
  return ctq::linking::link(pending.data(), pending.size());
}

/// The namespaces of ctq that the calls use.
std::string aliases(const std::vector<model_row>& rows) {
  std::set<std::string> used;
  for (const model_row& r : rows) used.insert(r.call.substr(0, r.call.find("::")));
  used.erase("");  // user-defined ops
  std::string text;
  for (const std::string& space : used)
    text += fmt::format("namespace {} = ctq::{};\n", space, space);
  return text;
}

std::string header(const std::vector<model_row>& rows, const std::string& name,
                   const std::string& space, const std::string& source, const header_form& form) {
  std::vector<std::string> names;
  std::size_t width = 0;
  for (const model_row& r : rows) {
    names.push_back(cpp_string(r.name));
    if (names.back().size() <= longest_aligned) width = std::max(width, names.back().size());
  }
  std::string text = fmt::format(
      "#pragma once\n\n{}\n// From {}, by {}.\n\n"
      "namespace {} {{\n\n{}using namespace ctq::literals;\n\n// clang-format off\n"
      "inline constexpr auto {} = ctq::model(\n",
      form.includes, cpp_comment(source), form.command, space, aliases(rows), name);
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += fmt::format("    {}_n{:{}} = {}{}\n", names[i], "",
                        width - std::min(names[i].size(), width), rows[i].call,
                        i + 1 == rows.size() ? ");" : ",");
  return text + fmt::format("// clang-format on\n\n}}  // namespace {}\n", space);
}

}  // namespace

std::string in_one_line(const ctq::diagnostic& problem) {
  std::string words;
  for (const std::string_view all = problem.message(); const char& c : all) {
    const std::string_view rest = all.substr(static_cast<std::size_t>(&c - all.data()) + 1);
    const bool is_sentence = rest.starts_with("ctq::evaluator ") ||
                             rest.starts_with("the input ") || rest.starts_with("method::") ||
                             rest.starts_with("indices are ") || rest.starts_with("op::getitem ");
    if (c == '\n' && is_sentence) words += ';';
    words += c == '\n' ? ' ' : c;
  }
  return words;
}

ctq::result<std::string> import_model(std::string_view rows, const std::string& file,
                                      const std::string& name, const std::string& space,
                                      const std::string& source, const user_op_names& user_ops,
                                      const header_form& form) {
  for (const auto& [op, in_cpp] : user_ops)
    if (std::string why = namespace_problem(in_cpp); !why.empty()) return ctq::fail(in_cpp, why);
  if (std::string why = identifier_problem(name); !why.empty()) return ctq::fail(name, why);
  if (std::string why = namespace_problem(space); !why.empty()) return ctq::fail(space, why);
  const auto model = ctq::read_fx(rows, ctq::ops<ctq::builtin>::value, file);
  if (!model) return ctq::unexpected{model.error()};
  const auto [all, problem, arguments] = rows_of(*model, user_ops);
  const auto failed = [&](int node, std::string words) {
    return failed_at(file, rows, model->offset_of(node), std::move(words));
  };
  if (!problem.words.empty()) return failed(problem.node, problem.words);
  const auto is_user = [](const model_row& r) { return r.call.starts_with("::"); };
  if (std::any_of(all.begin(), all.end(), is_user)) return header(all, name, space, source, form);
  const auto in_cpp = linked(all);
  if (in_cpp.problem.any())  // at the last node that was added
    return failed(all[static_cast<std::size_t>(in_cpp.size()) - 1].node,
                  in_one_line(in_cpp.problem));
  return header(all, name, space, source, form);
}

ctq::result<shaped_model> with_shapes(const ctq::fx_graph& model) {
  const auto [rows, problem, arguments] = rows_of(model);
  if (!problem.words.empty()) return ctq::fail({}, problem.words);
  const auto in_cpp = linked(rows);
  if (in_cpp.problem.any()) return ctq::fail({}, in_one_line(in_cpp.problem));
  shaped_model shaped;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ctq::node n = model.view()[rows[i].node];
    n.op = rows[i].op;
    std::vector<argument>& args =
        shaped.arguments.emplace_back(arguments[static_cast<std::size_t>(rows[i].node)]);
    if (const int item = rows[i].added_item; item >= 0) {
      n.name = shaped.names.emplace_back(rows[i].name);
      args = {{.is = kind::node}, {.is = kind::integer, .integer = item}};
    }
    ctq::fx_row& row = shaped.rows.emplace_back(*n.row);
    row.args = {args.data(), static_cast<int>(args.size())};
    n.row = &row;
    n.attrs = in_cpp.nodes[i].attrs;
    n.dtype = in_cpp.nodes[i].dtype;
    n.shape = in_cpp.nodes[i].shape;
    shaped.graph.add(n, rows[i].reads.data(), static_cast<int>(rows[i].reads.size()));
  }
  return shaped;
}

}  // namespace tool
