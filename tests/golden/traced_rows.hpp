// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "tensors.hpp"

// Rows of torch.fx, changed as another tracing of the same model would have given them.

namespace golden {

/// The row of that name, or null.
[[nodiscard]] const json* find_row(const json& rows, const std::string& name);

/// The path or name that a row reads at this position; empty if there is no node.
[[nodiscard]] std::string node_at(const json& row, std::size_t position);

/// How the rows of a model lie among those of the same model with the inside of all its modules.
class inlining {
 public:
  /// Throws if no such order of the rows exists. Keeps both lists, which must outlive it.
  inlining(const json& rows, const json& inlined);

  /// A call of a module whose inside is among the inlined rows.
  [[nodiscard]] bool is_opaque(const json& row) const;

  /// The name that a row has among the inlined ones, of an opaque module that of its output; the
  /// same name if it has none there.
  [[nodiscard]] std::string name_of(const std::string& name) const;

  /// The graph of an opaque module alone.
  ///   call  the row that calls it: its arguments are the inputs, in order
  [[nodiscard]] json inside_of(const json& call) const;

 private:
  bool align(std::size_t row, std::size_t at, const std::map<std::string, std::string>& names);
  [[nodiscard]] bool is_closed(std::size_t begin, std::size_t end, const json& call,
                               const std::map<std::string, std::string>& names) const;
  [[nodiscard]] std::string last_row_of(const std::string& module) const;

  const json& rows_;
  const json& inlined_;
  std::set<std::string> called_;              // paths of modules, by the inlined rows
  std::map<std::string, std::string> names_;  // of rows, to those of the inlined ones
  std::map<std::string, std::pair<std::size_t, std::size_t>> segments_;  // of the opaque modules
};

/// What was traced before a model was prepared for training: without observers, and with the
/// modules that fusion has put together. Those that are not in the graph any more are found by
/// their classes, in the order of the model.
[[nodiscard]] json before_training(const json& prepared, const json& modules);

}  // namespace golden
