// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "import_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "ctq/graph/model.hpp"
#include "ctq/io/read_fx.hpp"
#include "import_options.hpp"

namespace tool {

namespace {

using ctq::argument;
using ctq::op_kind;
using kind = ctq::argument::kind;

/// What a node is made of in C++.
struct model_row {
  std::string name;
  std::string call;  // nn::conv2d("x"_n, {.out_channels = 6})
  ctq::op_id op{};
  ctq::attributes attrs{};
  ctq::shape shape{};
  std::vector<int> reads;
};

/// The shapes of placeholders, which the rows give beside their names.
using shapes = std::map<std::string, ctq::shape, std::less<>>;

std::optional<ctq::shape> shape_from(ctq::json::element list) {
  ctq::shape s;
  if (list.type() != ctq::json::kind::array || list.size() > static_cast<int>(ctq::max_rank))
    return {};
  for (const ctq::json::element extent : list.elements()) {
    if (extent.type() != ctq::json::kind::number || !(extent.number() >= 1)) return {};
    s.extent[static_cast<std::size_t>(s.rank++)] = static_cast<int>(extent.number());
  }
  return s;
}

shapes shapes_of(std::string_view rows) {
  shapes found;
  const ctq::json::document d = ctq::json::parse(rows.data(), rows.size());
  for (const ctq::json::element row : d.root(rows.data()).elements()) {
    const ctq::json::element shape = row.find("shape");
    const auto read = shape ? shape_from(shape) : std::nullopt;
    if (read) found.emplace(row.find("name").text(), *read);
  }
  return found;
}

class importer {
 public:
  importer(const ctq::fx_graph& model, shapes inputs)
      : model_(model), g_(model.view()), inputs_(std::move(inputs)) {}

  /// All rows, or what is wrong with the first that has no form in C++.
  [[nodiscard]] ctq::result<std::vector<model_row>> rows() {
    std::vector<model_row> all;
    for (int i = 0; i < g_.size(); ++i) {
      model_row r{.name = name_of(i), .call = {}, .op = g_[i].op, .reads = {}};
      for (const int a : g_.args_of(i)) r.reads.push_back(a);
      std::string problem = complete(i, r);
      if (!names_.insert(r.name).second)
        problem =
            is_called_before(i)
                ? "is called more than once; in C++ each call is a module with its own weights"
                : "has the name of another node";
      if (!problem.empty()) return ctq::fail(fmt::format("node {}", r.name), problem);
      all.push_back(std::move(r));
    }
    return all;
  }

 private:
  /// A module by its path, under which its weights are found; a function in its module. A module
  /// without weights that is called again is another one inside the first, so that what a
  /// QConfigMapping says of its path holds for it as well. Functions give way to modules of their
  /// name: torch.fx keeps the two apart, ctq has one name for each node.
  [[nodiscard]] std::string name_of(int i) const {
    const ctq::node& n = g_[i];
    if (n.op->kind == op_kind::module)
      return !has_parameters(n.op) && is_called_before(i) ? fmt::format("{}.{}", path_of(n), n.name)
                                                          : std::string{path_of(n)};
    const std::string_view scope = n.row->scope;
    const bool is_call = n.op->kind == op_kind::function || n.op->kind == op_kind::method;
    if (!is_call) return std::string{n.name};
    std::string name = scope.empty() ? std::string{n.name} : fmt::format("{}.{}", scope, n.name);
    return is_called_before(g_.size(), name) ? name + "_call" : name;
  }

  static bool has_parameters(ctq::op_id op) {
    return op->descriptor->parameters != nullptr || is_any_of(op, ctq::nni::bn_relu2d);
  }

  /// Does a node before number i call the module of that path?
  [[nodiscard]] bool is_called_before(int i, std::string_view path) const {
    for (int k = 0; k < i; ++k)
      if (g_[k].op->kind == op_kind::module && path_of(g_[k]) == path) return true;
    return false;
  }
  [[nodiscard]] bool is_called_before(int i) const {
    return g_[i].op->kind == op_kind::module && is_called_before(i, path_of(g_[i]));
  }

  /// Fills in the call; returns why that cannot be.
  std::string complete(int i, model_row& r) {
    switch (g_[i].op->kind) {
      case op_kind::placeholder: return placeholder(i, r);
      case op_kind::output: return output(i, r);
      case op_kind::get_attr: return "is a tensor of its own: there are no models with such in C++";
      default: return call(i, r);
    }
  }

  std::string placeholder(int i, model_row& r) const {
    const auto found = inputs_.find(g_[i].name);
    if (found == inputs_.end())
      return "has no shape; the row of an input needs one: \"shape\": [1, 3, 224, 224]";
    r.shape = found->second;
    std::string extents;
    for (int axis = 0; axis < r.shape.rank; ++axis)
      extents += fmt::format("{}{}", axis > 0 ? ", " : "", r.shape[axis]);
    r.call = fmt::format("nn::placeholder({{{}}})", extents);
    return {};
  }

  std::string output(int i, model_row& r) const {
    if (g_[i].arg_count != 1 || g_[i].row->args[0].is != kind::node)
      return "gives several tensors; models in C++ give one";
    r.call = fmt::format("nn::output(\"{}\"_n)", name_of(r.reads[0]));
    return {};
  }

  std::string call(int i, model_row& r) {
    const std::string_view builder = builder_of(r.op);
    if (builder.empty()) return fmt::format("calls {}, which ctq has no op for", r.op->name);
    const bool is_module = r.op->kind == op_kind::module;
    const ctq::view<argument> all = g_[i].row->args;
    int tensors = 0;  // arguments that come before the options
    int at = 0;
    bool list = false;
    while (at < all.size() && is_tensor(all, at)) {
      list = list || all[at].is == kind::list;
      at += all[at].is == kind::list ? static_cast<int>(all[at].integer) + 1 : 1;
      ++tensors;
    }
    const imported_options options =
        is_module ? import_options(r.op, model_.options_of(i), 1)
                  : import_options(r.op, {all.items + at, all.count - at}, tensors);
    if (!options.problem.empty())
      return fmt::format("calls {}, which {} in ctq", r.op->name, options.problem);
    r.attrs = options.attrs;
    std::string reads;
    for (const int a : r.reads)
      reads += fmt::format("{}\"{}\"_n", reads.empty() ? "" : ", ", name_of(a));
    r.call = fmt::format("{}({}{}{}{}{})", builder, list ? "{" : "", reads, list ? "}" : "",
                         options.code.empty() ? "" : ", ", options.code);
    return {};
  }

  /// Is the argument a tensor, or a list of nothing else?
  static bool is_tensor(const ctq::view<argument>& all, int at) {
    if (!all[at].keyword.empty()) return false;
    if (all[at].is == kind::node) return true;
    if (all[at].is != kind::list) return false;
    for (int e = 1; e <= all[at].integer; ++e)
      if (all[at + e].is != kind::node) return false;
    return all[at].integer > 0;
  }

  const ctq::fx_graph& model_;
  ctq::graph_view<ctq::stage::traced> g_;
  shapes inputs_;
  std::set<std::string> names_;
};

/// The model as the compiler would have it, or what it would say: shapes that do not fit, ops
/// without a shape rule. It refers to the rows.
auto linked(const std::vector<model_row>& rows) {
  std::vector<std::vector<std::string_view>> reads(rows.size());
  std::vector<ctq::linking::pending> pending;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const int a : rows[i].reads) reads[i].push_back(rows[static_cast<std::size_t>(a)].name);
    pending.push_back({rows[i].name, rows[i].op, &rows[i].attrs, &rows[i].shape, reads[i].data(),
                       static_cast<int>(reads[i].size())});
  }
  return ctq::linking::link(pending.data(), pending.size());
}

/// The namespaces of ctq that the calls name.
std::string aliases(const std::vector<model_row>& rows) {
  std::set<std::string> used;
  for (const model_row& r : rows) used.insert(r.call.substr(0, r.call.find("::")));
  std::string text;
  for (const std::string& space : used)
    text += fmt::format("namespace {} = ctq::{};\n", space, space);
  return text;
}

std::string header(const std::vector<model_row>& rows, const std::string& name,
                   const std::string& space, const std::string& source) {
  std::size_t width = 0;
  for (const model_row& r : rows) width = std::max(width, r.name.size());
  std::string text = fmt::format(
      "#pragma once\n\n#include <ctq/ctq.hpp>\n\n// From {}, by ctq import.\n\n"
      "namespace {} {{\n\n{}using namespace ctq::literals;\n\n// clang-format off\n"
      "inline constexpr auto {} = ctq::model(\n",
      source, space, aliases(rows), name);
  for (const model_row& r : rows)
    text += fmt::format("    \"{}\"_n{:{}} = {}{}\n", r.name, "", width - r.name.size(), r.call,
                        &r == &rows.back() ? ");" : ",");
  return text + fmt::format("// clang-format on\n\n}}  // namespace {}\n", space);
}

}  // namespace

ctq::result<std::string> import_model(std::string_view rows, const std::string& name,
                                      const std::string& space, const std::string& source) {
  const auto model = ctq::read_fx(rows);
  if (!model) return ctq::unexpected{model.error()};
  const auto read = importer{*model, shapes_of(rows)}.rows();
  if (!read) return ctq::unexpected{read.error()};
  const ctq::diagnostic problem = linked(*read).problem;
  if (problem.any()) {
    std::string words{problem.message()};
    std::replace(words.begin(), words.end(), '\n', ' ');
    return ctq::fail({}, words);
  }
  return header(*read, name, space, source);
}

std::optional<ctq::dynamic_graph<ctq::stage::traced>> with_shapes(const ctq::fx_graph& model,
                                                                  std::string_view rows) {
  const auto read = importer{model, shapes_of(rows)}.rows();
  if (!read) return {};
  const auto in_cpp = linked(*read);
  if (in_cpp.problem.any()) return {};
  ctq::dynamic_graph<ctq::stage::traced> g;
  for (int i = 0; i < model.view().size(); ++i) {
    ctq::node n = model.view()[i];
    n.attrs = in_cpp.nodes[static_cast<std::size_t>(i)].attrs;
    n.shape = in_cpp.nodes[static_cast<std::size_t>(i)].shape;
    g.add(n, model.view().args_of(i).begin(), n.arg_count);
  }
  return g;
}

}  // namespace tool
