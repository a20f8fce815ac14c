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

// A model traced by torch.fx, read at run time: the graph and everything its nodes refer to.

namespace ctq {

/// Contents of a row besides the node.
struct fx_row_facts {
  std::uint32_t at{};                 // offset of the row in the text
  std::optional<ctq::shape> shape{};  // of a placeholder, if given and of a supported rank
};

/// Move-only: the nodes of the graph point into data that it owns.
class fx_graph {
 public:
  fx_graph() = default;
  fx_graph(fx_graph&&) = default;
  fx_graph& operator=(fx_graph&&) = default;
  fx_graph(const fx_graph&) = delete;
  fx_graph& operator=(const fx_graph&) = delete;
  ~fx_graph() = default;

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

  /// The shape in the row of a placeholder.
  [[nodiscard]] const std::optional<ctq::shape>& shape_of(int node) const {
    return facts_[static_cast<std::size_t>(node)].shape;
  }

  /// User-defined ops, unknown to ctq, such as "Sub" or "torch.exp", for use in patterns and
  /// mappings.
  [[nodiscard]] ctq::view<op_id> own_ops() const { return as_view(own_); }

  // Used by readers to build the graph.

  /// Stores a text with the lifetime of the graph.
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
  ///   reads  input nodes in the order of their appearance among the arguments
  void add(node n, fx_row row, std::vector<argument> arguments, std::vector<argument> options,
           const std::vector<int>& reads, const fx_row_facts& facts = {}) {
    row.args = as_view(arguments_.emplace_back(std::move(arguments)));
    n.row = &rows_.emplace_back(row);
    options_.push_back(std::move(options));
    facts_.push_back(facts);
    graph_.add(n, reads.data(), static_cast<int>(reads.size()));
  }

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
};

}  // namespace ctq
