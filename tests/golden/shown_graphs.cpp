// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shown_graphs.hpp"

#include <set>
#include <string>
#include <utility>

#include "fx_rows.hpp"

namespace golden {
namespace {

using ctq::op_kind;
using ctq::stage;

template <class Graph>
std::string name_at(const Graph& g, int i) {
  std::string name;
  append_name(name, g[i]);
  return name;
}

std::string class_name(const ctq::observer_record& r) {
  return std::string{r.fake_quantize == ctq::fake_quantize_class::none ? name_of(r.type)
                                                                       : name_of(r.fake_quantize)};
}

std::string shown_target(const ctq::node& n) {
  if (n.observer_config != nullptr) return class_name(*n.observer_config);
  const std::string name = short_name(std::string{n.op->name});
  switch (n.op->kind) {
    case op_kind::module: return name.substr(name.rfind('.') + 1);
    case op_kind::placeholder:
    case op_kind::get_attr: return std::string{path_of(n)};
    default: return name;
  }
}

/// Prints arguments as Python does, with the names of the nodes that are read now.
class argument_printer {
 public:
  argument_printer(ctq::graph_view<stage::prepared> g, int i) : g_(g), i_(i) {}

  json all() {
    json texts = json::array();
    const ctq::fx_row* const row = g_[i_].row;
    if (row != nullptr)
      while (at_ < row->args.size() && row->args[at_].keyword.empty()) texts.push_back(next());
    else
      while (read_ < g_[i_].arg_count) texts.push_back(node_name());
    return texts;
  }

 private:
  std::string node_name() { return name_at(g_, g_.args_of(i_)[read_++]); }

  static std::string decimal(double x) {
    json number = x;
    return number.dump();
  }

  std::string elements(std::int64_t count) {
    std::string text;
    for (std::int64_t k = 0; k < count; ++k) text += (k > 0 ? ", " : "") + next();
    return text;
  }

  std::string next() {
    const ctq::argument& a = g_[i_].row->args[at_++];
    using enum ctq::argument::kind;
    switch (a.is) {
      case node: return node_name();
      case none: return "None";
      case boolean: return a.integer != 0 ? "True" : "False";
      case integer: return std::to_string(a.integer);
      case real: return decimal(a.real);
      case text: return std::string{a.text};
      case ellipsis: return "Ellipsis";
      case list:
      case dict: return "[" + elements(a.integer) + "]";
      case slice: return "slice(" + elements(a.integer) + ")";
    }
    return {};
  }

  ctq::graph_view<stage::prepared> g_;
  int i_;
  int at_ = 0;
  int read_ = 0;
};

/// The class of a module whose weight is quantized. A fused one keeps its own.
std::string reference_class(const ctq::node& n, const ctq::backend_view& backend) {
  for (const ctq::backend_pattern_config_record& c : backend.configs)
    if (c.root_module == n.op && c.reference_quantized_module_for_root != nullptr)
      return short_name(std::string{c.reference_quantized_module_for_root->name});
  return short_name(std::string{n.op->name});
}

}  // namespace

json without_tuples(json nodes) {
  for (json& node : nodes)
    for (json& argument : node.at(2)) {
      auto text = argument.get<std::string>();
      std::string plain;
      for (const char letter : text) {
        const bool closes = letter == ')' || letter == ']';
        if (closes && plain.ends_with(',')) plain.pop_back();
        plain += letter == '(' ? '[' : closes ? ']' : letter;
      }
      argument = plain;
    }
  return nodes;
}

json shown_nodes(ctq::graph_view<stage::prepared> g) {
  json nodes = json::array();
  for (int i = 0; i < g.size(); ++i)
    nodes.push_back({name_at(g, i), shown_target(g[i]), argument_printer{g, i}.all()});
  return nodes;
}

json observed_names(ctq::graph_view<stage::prepared> g) {
  std::set<std::string> names;
  for (int i = 0; i < g.size(); ++i)
    if (g[i].choice.observed) names.insert(name_at(g, i));
  return names;
}

json shown_calls(ctq::graph_view<stage::reference> g, const ctq::backend_view& backend) {
  json calls = json::array();
  for (int i = 0; i < g.size(); ++i) {
    const op_kind kind = g[i].op->kind;
    if (kind == op_kind::placeholder || kind == op_kind::get_attr || kind == op_kind::output)
      continue;
    calls.push_back(kind == op_kind::module && g[i].weight != nullptr
                        ? reference_class(g[i], backend)
                        : short_name(std::string{g[i].op->name}));
  }
  return calls;
}

}  // namespace golden
