// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/spec/pattern.hpp"

// Relations of two patterns: whether one matches wherever the other does, and whether both can
// match the same nodes. Arguments are compared in order, as in PyTorch.

namespace ctq {

namespace overlap {

/// Compares the trees at two elements; leaf(a, b) decides where one of them ends.
template <class Leaf>
constexpr bool compare_trees(const pattern_record& p, int a, const pattern_record& q, int b,
                             Leaf leaf) {
  const pattern_element& x = p.element[a];
  const pattern_element& y = q.element[b];
  if (x.op == nullptr || y.op == nullptr || x.args == 0 || y.args == 0) return leaf(x, y);
  if (x.op != y.op || x.args != y.args) return false;
  int i = a + 1;
  int k = b + 1;
  for (int n = 0; n < x.args; ++n) {
    if (!compare_trees(p, i, q, k, leaf)) return false;
    i += subtree(p, i);
    k += subtree(q, k);
  }
  return true;
}

}  // namespace overlap

/// Whether `general` matches wherever `special` does.
[[nodiscard]] constexpr bool covers(const pattern_record& general, const pattern_record& special) {
  return overlap::compare_trees(general, 0, special, 0,
                                [](const pattern_element& g, const pattern_element& s) {
                                  return g.op == nullptr || (g.args == 0 && g.op == s.op);
                                });
}

/// Whether there is a graph in which both match with the same last node.
[[nodiscard]] constexpr bool can_overlap(const pattern_record& p, const pattern_record& q) {
  return overlap::compare_trees(p, 0, q, 0, [](const pattern_element& x, const pattern_element& y) {
    return x.op == nullptr || y.op == nullptr || x.op == y.op;
  });
}

}  // namespace ctq
