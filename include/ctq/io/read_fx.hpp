// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/io/fx_arguments.hpp"
#include "ctq/io/fx_graph.hpp"
#include "ctq/io/fx_options.hpp"
#include "ctq/io/fx_scope.hpp"
#include "ctq/io/fx_values.hpp"
#include "ctq/io/message.hpp"
#include "ctq/json/document.hpp"
#include "ctq/json/position.hpp"

// Reads a model traced by torch.fx from JSON, a list of rows:
//
//   {"name": "relu", "op": "call_function", "target": "F.relu", "args": [{"n": "conv1"}],
//    "kwargs": {"inplace": false}, "scope": "layer1"}
//
//   op      placeholder, get_attr, call_module, call_function, call_method, output
//   target  the path of a module or attribute, the name of a function or method
//   kwargs  as args, by name; ctq's own spelling of them is in fx_keywords.hpp
//   args    {"n": name} is a node's output; None, booleans, numbers, strings, lists, {"f": "-inf"}
//           are constants; {"d": {key: arg}} is a dict, {"s": [start, stop, step]} or, in indices,
//           "slice(1, None, None)" a slice, {"e": "..."} or, in indices, "..." an Ellipsis
//   module  of a call_module: {"type": "nn.Conv2d", "kernel_size": [3, 3], …}, perhaps more keys
//   scope   the module whose forward makes the call; if no row has it, see fx_scope.hpp
//   scope_type  its class, for mappings by object type
//   shape   of a placeholder or a get_attr: integers from 1 to 2^31 - 1, or null
//   dtype   "int64", if the row gives a tensor of integers, which is not quantized
//
// or an object with more (see fx_options.hpp), and the standalone modules by path:
//   {"rows": […], "standalone_module_name": ["head"], "modules": {"head": {"rows": […]}}}
//
// Errors contain the position: place "net.json:12:3", cause "row 11 relu: …".

namespace ctq {

namespace fx_reading {

using json::element;

inline constexpr std::pair<std::string_view, op_kind> op_kinds[] = {
    {"placeholder", op_kind::placeholder}, {"get_attr", op_kind::get_attr},
    {"call_module", op_kind::module},      {"call_function", op_kind::function},
    {"call_method", op_kind::method},      {"output", op_kind::output},
};

class reader {
 public:
  reader(const op_table& ops, std::string_view text, std::string_view file)
      : ops_(ops), text_(text), file_(file) {}

  /// The graph, or an error that names the row.
  result<fx_graph> read(element root) {
    if (root.type() != json::kind::object) return read_rows(root);
    const element rows = root.find("rows");
    if (!rows) return failed(root, "expected a list of rows");
    for (const auto [key, value] : root.members()) {
      if (key.is("rows") || key.is("modules")) continue;
      cause_ = add_exporter_option(graph_, ops_, key, value, wrong_);
      if (!cause_.empty()) return failed(wrong_, cause_);
    }
    auto read = read_rows(rows);
    const element modules = root.find("modules");
    if (!read || !modules) return read;
    if (modules.type() != json::kind::object) return failed(modules, "modules is not an object");
    for (const auto [path, module] : modules.members()) {
      auto inside = reader{ops_, text_, file_}.read(module);
      if (!inside) return inside;
      read->add_module(read->keep(unescaped(path)), *std::move(inside));
    }
    return read;
  }

 private:
  result<fx_graph> read_rows(element rows) {
    if (rows.type() != json::kind::array) return failed(rows, "expected a list of rows");
    for (const element row : rows.elements()) {
      wrong_ = row;
      if (!add(row))
        return failed(wrong_, sentence("row ", at_, name_.empty() ? "" : " ", name_, ": ", cause_));
      ++at_;
    }
    if (at_ == 0) return failed(rows, "there is no row");
    if (!has_scopes_) infer();
    return std::move(graph_);
  }

  [[nodiscard]] unexpected failed(element at, std::string cause) const {
    std::string place;
    json::append_position(place, file_, json::position_at(text_.data(), text_.size(), at.at()));
    return fail(std::move(place), std::move(cause));
  }

  bool wrong(std::string cause) {
    cause_ = std::move(cause);
    return false;
  }
  bool wrong(element at, std::string cause) {
    wrong_ = at;
    return wrong(std::move(cause));
  }

  bool text_of(element row, std::string_view key, std::string_view& out) {
    const element e = row.find(key);
    if (!e || e.type() != json::kind::string)
      return wrong(e ? e : row, sentence("has no string ", key));
    out = graph_.keep(unescaped(e));
    return true;
  }

  bool add(element row) {
    name_.clear();
    node n;
    std::string_view kind_name;
    fx_row fx;
    if (row.type() != json::kind::object) return wrong("is not an object");
    if (!text_of(row, "name", n.name)) return false;
    name_ = shown(n.name);
    if (by_name_.contains(n.name)) return wrong("has the name of an earlier row");
    if (!text_of(row, "op", kind_name) || !text_of(row, "target", fx.target)) return false;
    const auto* kind = op_kinds;
    while (kind != std::end(op_kinds) && kind->first != kind_name) ++kind;
    if (kind == std::end(op_kinds))
      return wrong("op " + shown(kind_name) + " is not a torch.fx op");

    argument_reader arguments{graph_, by_name_};
    if (kind->second == op_kind::module) {
      const element module = row.find("module");
      std::string_view type;
      if (!module || module.type() != json::kind::object) return wrong("has no module");
      if (!text_of(module, "type", type)) return wrong("its module has no type");
      n.op = graph_.op(kind->second, type, ops_);
      arguments.read_options(module);
    } else {
      n.op = op_of(kind->second, fx.target);
      if (kind->second == op_kind::function || kind->second == op_kind::method) fx.target = {};
    }
    if (!arguments.read(row, n.op)) return wrong(arguments.wrong, arguments.cause);
    if (const element scope = row.find("scope"); scope && scope.type() == json::kind::string) {
      has_scopes_ = true;
      fx.scope = graph_.keep(unescaped(scope));
    }
    if (const element type = row.find("scope_type"); type && type.type() == json::kind::string)
      fx.scope_type = graph_.op(op_kind::module, unescaped(type), ops_);
    fx_row_facts facts{.at = row.at()};
    if (kind->second == op_kind::placeholder || kind->second == op_kind::get_attr) {
      cause_ = read_shape(row.find("shape"), facts.shape, wrong_);
      if (!cause_.empty()) return false;
      if (facts.shape) n.shape = *facts.shape;
    }
    const element type = row.find("dtype");
    if (type && type.type() == json::kind::string && unescaped(type) == "int64") n.dtype = i64;
    by_name_.emplace(n.name, at_);
    graph_.add(n, fx, std::move(arguments.all), std::move(arguments.options), arguments.reads,
               facts);
    return true;
  }

  op_id op_of(op_kind kind, std::string_view target) {
    switch (kind) {
      case op_kind::placeholder: return nn::placeholder.id();
      case op_kind::get_attr: return nn::get_attr.id();
      case op_kind::output: return nn::output.id();
      default: return graph_.op(kind, target, ops_);
    }
  }

  void infer() {
    const std::vector<std::string_view> scopes = infer_scopes(graph_.view());
    for (int i = 0; i < at_; ++i) graph_.set_scope(i, scopes[static_cast<std::size_t>(i)]);
  }

  op_table ops_;
  std::string_view text_;
  std::string_view file_;
  fx_graph graph_;
  rows_by_name by_name_;
  int at_ = 0;
  bool has_scopes_ = false;
  std::string name_;
  std::string cause_;
  element wrong_;
};

}  // namespace fx_reading

/// The model of a list of rows.
///   ops   ops that targets can refer to besides user-defined ones; must outlive the graph
///   file  name of the text in errors
/// Errors  the text is not JSON; the row and its problem
[[nodiscard]] inline result<fx_graph> read_fx(std::string_view text,
                                              const op_table& ops = ctq::ops<builtin>::value,
                                              std::string_view file = "fx graph") {
  constexpr std::size_t largest = 0x7FFFFFFF;
  if (text.size() >= largest) return fail(std::string(file), "the text is larger than 2 GB");
  const json::document d = json::parse(text.data(), text.size());
  if (d.error.any()) {
    std::string place;
    json::append_position(place, file, json::position_at(text.data(), text.size(), d.error.at));
    return fail(place, std::string(d.error.what));
  }
  return fx_reading::reader{ops, text, file}.read(d.root(text.data()));
}

}  // namespace ctq
