// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/containers/list.hpp"
#include "ctq/ops/op.hpp"

// Finds what a backend or a mapping has for an op, in constant time: a graph has many nodes, a spec
// many entries.

namespace ctq {

class op_index {
 public:
  /// If several values are added for an op, find returns the last one.
  constexpr void add(op_id op, int value) {
    int& head = head_[op->hash % slots];
    links_.push_back({op, value, head});
    head = static_cast<int>(links_.size());
  }

  /// The value that was added for the op, or -1.
  [[nodiscard]] constexpr int find(op_id op) const {
    for (int at = head_[op->hash % slots]; at != 0; at = links_[at - 1].next)
      if (links_[at - 1].op == op) return links_[at - 1].value;
    return -1;
  }

  [[nodiscard]] constexpr bool empty() const { return links_.empty(); }

 private:
  static constexpr unsigned slots = 128;

  struct link {
    op_id op{};
    int value{};
    int next{};  // of the same slot: 1 + a link, 0: none
  };

  int head_[slots]{};
  list<link> links_;
};

}  // namespace ctq
