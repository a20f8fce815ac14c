// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/graph/graph.hpp"
#include "ctq/ops/op_table.hpp"
#include "ctq/spec/custom_config.hpp"

// A model traced by torch.fx, read at run time: the graph and everything its nodes refer to.

namespace ctq {

/// What a row contains besides the node.
struct fx_row_facts {
  std::uint32_t at{};                 // offset of the row in the text
  std::optional<ctq::shape> shape{};  // of a placeholder or a get_attr, if given and supported
};

class fx_graph;

/// A standalone module, traced on its own.
struct fx_module;

/// A traced graph. Move-only: its nodes point into data that it owns.
class fx_graph {
 public:
  inline fx_graph();
  inline fx_graph(fx_graph&&) noexcept;
  inline fx_graph& operator=(fx_graph&&) noexcept;
  fx_graph(const fx_graph&) = delete;
  fx_graph& operator=(const fx_graph&) = delete;
  inline ~fx_graph();

  [[nodiscard]] graph_view<stage::traced> view() const& { return graph_.view(); }
  [[nodiscard]] temporary_graph_view<stage::traced> view() const&& { return {graph_.view()}; }

  /// The options of the module that a node calls, as far as the rows contain them, as keyword
  /// arguments: "kernel_size", "stride". Empty for other nodes.
  [[nodiscard]] ctq::view<argument> options_of(int node) const {
    return as_view(options_[static_cast<std::size_t>(node)]);
  }

  /// The offset of a node's row in the text.
  [[nodiscard]] std::uint32_t offset_of(int node) const {
    return facts_[static_cast<std::size_t>(node)].at;
  }

  /// The shape in the row of a placeholder or a get_attr.
  [[nodiscard]] const std::optional<ctq::shape>& shape_of(int node) const {
    return facts_[static_cast<std::size_t>(node)].shape;
  }

  /// User-defined ops, unknown to ctq, such as "Sub" or "torch.exp", for use in patterns and
  /// mappings.
  [[nodiscard]] ctq::view<op_id> own_ops() const { return as_view(own_); }

  /// The options of the exporter, for prepare_options::custom: standalone modules and those that it
  /// did not trace into, by path and by class; the attributes of the model to preserve. Standalone
  /// modules have neither a mapping nor a backend of their own.
  [[nodiscard]] prepare_custom_config custom() const& {
    return {.standalone = as_view(standalone_),
            .non_traceable_module_names = as_view(non_traceable_names_),
            .non_traceable_module_classes = as_view(non_traceable_classes_),
            .preserved_attributes = as_view(preserved_)};
  }
  prepare_custom_config custom() const&& = delete;  // what it views lies in this object

  /// The standalone modules, each traced on its own.
  [[nodiscard]] const std::vector<fx_module>& modules() const { return modules_; }

  // Used by readers to build the graph.

  /// Stores a text for the lifetime of the graph.
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  /// The op of this kind and name: from the table, or user-defined and owned by the graph.
  op_id op(op_kind kind, std::string_view name, const op_table& known) {
    const op_id found = known.find(name);
    if (found != nullptr && found->kind == kind) return found;
    const auto mine = own_by_name_.find({kind, name});
    if (mine != own_by_name_.end()) return mine->second;
    own_.push_back(&infos_.emplace_back(op_info{kind, keep(std::string(name))}));
    own_by_name_.emplace(std::pair{kind, own_.back()->name}, own_.back());
    return own_.back();
  }

  /// Appends a node. All names must come from keep().
  ///   reads  input nodes in the order in which they appear among the arguments
  void add(node n, fx_row row, std::vector<argument> arguments, std::vector<argument> options,
           const std::vector<int>& reads, const fx_row_facts& facts = {}) {
    row.args = as_view(arguments_.emplace_back(std::move(arguments)));
    n.row = &rows_.emplace_back(row);
    options_.push_back(std::move(options));
    facts_.push_back(facts);
    graph_.add(n, reads.data(), static_cast<int>(reads.size()));
  }

  inline void add_module(std::string_view path, fx_graph&& graph);
  void add_standalone(const standalone_module& m) { standalone_.push_back(m); }
  void add_non_traceable(std::string_view path) { non_traceable_names_.push_back(path); }
  void add_non_traceable(op_id type) { non_traceable_classes_.push_back(type); }
  void add_preserved(std::string_view attribute) { preserved_.push_back(attribute); }

  /// Sets the module whose forward calls a function or method.
  void set_scope(int node, std::string_view scope) {
    rows_[static_cast<std::size_t>(node)].scope = scope;
  }

 private:
  template <class T>
  static ctq::view<T> as_view(const std::vector<T>& v) {
    return {v.data(), static_cast<int>(v.size())};
  }

  dynamic_graph<stage::traced> graph_;
  // Deques, since their elements never move.
  std::deque<std::string> texts_;
  std::deque<op_info> infos_;
  std::deque<fx_row> rows_;
  std::deque<std::vector<argument>> arguments_;
  std::vector<std::vector<argument>> options_;
  std::vector<fx_row_facts> facts_;
  std::vector<op_id> own_;
  std::map<std::pair<op_kind, std::string_view>, op_id> own_by_name_;
  std::vector<standalone_module> standalone_;
  std::vector<std::string_view> non_traceable_names_;
  std::vector<op_id> non_traceable_classes_;
  std::vector<std::string_view> preserved_;
  std::vector<fx_module> modules_;
};

struct fx_module {
  std::string_view path{};  // in the graph around it, which keeps the name
  fx_graph graph{};
};

// fx_module is complete only here.
fx_graph::fx_graph() = default;
fx_graph::fx_graph(fx_graph&&) noexcept = default;
fx_graph& fx_graph::operator=(fx_graph&&) noexcept = default;
fx_graph::~fx_graph() = default;

void fx_graph::add_module(std::string_view path, fx_graph&& graph) {
  modules_.push_back({path, std::move(graph)});
}

}  // namespace ctq
