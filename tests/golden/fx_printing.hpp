// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "fx_rows.hpp"

// What the printers of all stages share.

namespace golden {

[[nodiscard]] inline std::string node_name(const ctq::node& n) {
  std::string text;
  append_name(text, n);
  return text;
}

[[nodiscard]] inline json reference_to(const std::string& name) { return {{"n", name}}; }

/// The names of what node i reads.
template <ctq::stage Stage>
[[nodiscard]] std::vector<std::string> names_read(ctq::graph_view<Stage> g, int i,
                                                  const std::vector<std::string>& names) {
  std::vector<std::string> reads;
  for (const int a : g.args_of(i)) reads.push_back(names[static_cast<std::size_t>(a)]);
  return reads;
}

/// Writes args and kwargs as they stand in the call, with the names of the nodes that are read now.
void add_arguments(json& row, const ctq::node& n, std::vector<std::string> reads);

/// A node that is in PyTorch's graph as it is in ctq's.
[[nodiscard]] json plain_row(const ctq::node& n, const std::string& name,
                             std::vector<std::string> reads, const row_values& values);

/// Makes of a module's description that of its reference quantized form.
void describe_reference_module(const ctq::node& n, const row_values& values, json& module);

}  // namespace golden
