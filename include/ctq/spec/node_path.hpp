// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>

#include "ctq/spec/pattern.hpp"

// The position of a node in a matched pattern: Python indices into the nested tuple. In (relu,
// (add, MatchAllNode, (bn, conv))), path<1, 2, 1> is the conv and path<1, 1> the extra input of the
// add. PyTorch has functions instead, root_node_getter and extra_inputs_getter; those of its
// backends only index.

namespace ctq {

/// The maximum length of a path.
inline constexpr int max_path = 8;

struct node_path {
  std::array<std::int8_t, max_path> index{};
  std::int8_t length = 0;

  [[nodiscard]] constexpr bool empty() const { return length == 0; }

  friend constexpr bool operator==(const node_path&, const node_path&) = default;
};

/// The element at a path: a leaf, or the head of a tuple (index 0). -1 if there is none.
[[nodiscard]] constexpr int element_at(const pattern_record& p, const node_path& path) {
  int at = 0;
  for (std::int8_t i = 0; i < path.length; ++i) {
    const int index = path.index[static_cast<std::size_t>(i)];
    const int args = p.element[at].args;
    if (index == 0) return args > 0 && i + 1 == path.length ? at : -1;
    if (index < 0 || index > args) return -1;
    int child = at + 1;
    for (int a = 1; a < index; ++a) child += subtree(p, child);
    at = child;
  }
  return !path.empty() && p.element[at].args == 0 ? at : -1;
}

template <int... Index>
struct path {
  static_assert(sizeof...(Index) > 0, "ctq: a path has at least one index");
  static_assert(sizeof...(Index) <= max_path, "ctq: a path has at most 8 indices");
  static constexpr node_path value{{static_cast<std::int8_t>(Index)...},
                                   static_cast<std::int8_t>(sizeof...(Index))};
};

}  // namespace ctq
