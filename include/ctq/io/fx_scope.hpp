// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ctq/graph/graph.hpp"
#include "ctq/graph/module_path.hpp"

// Infers the module whose forward calls a function, if the rows do not contain it: torch.fx prints
// the path of a called module, but not the scope of an operator between two of them.
//
// The rule: the deepest module that contains all nearest module calls before and after it, across
// other functions. F.relu between s1.fc1 and s1.fc2 is in s1; between s1.fc2 and s2.fc1 it is in
// the model.

namespace ctq {

/// The deepest module that contains both.
[[nodiscard]] constexpr std::string_view common_module(std::string_view a, std::string_view b) {
  while (!a.empty() && !is_in(b, a)) a = parent_of(a);
  return a;
}

namespace scoping {

/// By node: the module that contains the nearest module calls in one direction, if there are any.
using nearest = std::vector<std::optional<std::string_view>>;

inline void narrow_to(std::optional<std::string_view>& scope,
                      std::optional<std::string_view> other) {
  if (!other) return;
  scope = scope ? common_module(*scope, *other) : *other;
}

/// The scope known from a neighbour: that of a module is its own, that of a function is that of the
/// calls beyond it.
inline std::optional<std::string_view> seen_through(const node& n, std::size_t i,
                                                    const nearest& known) {
  if (n.op->kind == op_kind::module) return parent_of(path_of(n));
  return known[i];
}

}  // namespace scoping

/// By node: the module whose forward makes the call.
[[nodiscard]] inline std::vector<std::string_view> infer_scopes(graph_view<stage::traced> g) {
  const auto count = static_cast<std::size_t>(g.size());
  scoping::nearest before(count);
  scoping::nearest after(count);
  const auto index = [](int i) { return static_cast<std::size_t>(i); };
  for (int i = 0; i < g.size(); ++i)
    for (const int a : g.args_of(i))
      scoping::narrow_to(before[index(i)], scoping::seen_through(g[a], index(a), before));
  for (int i = g.size() - 1; i >= 0; --i)
    for (const int a : g.args_of(i))
      scoping::narrow_to(after[index(a)], scoping::seen_through(g[i], index(i), after));
  std::vector<std::string_view> scopes(count);
  for (int i = 0; i < g.size(); ++i) {
    const op_kind kind = g[i].op->kind;
    if (kind == op_kind::module || kind == op_kind::get_attr) {
      scopes[index(i)] = parent_of(path_of(g[i]));
    } else if (kind == op_kind::function || kind == op_kind::method) {
      scoping::narrow_to(before[index(i)], after[index(i)]);
      scopes[index(i)] = before[index(i)].value_or(std::string_view{});
    }
  }
  return scopes;
}

}  // namespace ctq
