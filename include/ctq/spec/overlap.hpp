// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/spec/pattern.hpp"

// How two patterns relate: does one match whatever the other matches, can both match the same
// nodes? Arguments are taken in the order they stand, as PyTorch does.

namespace ctq {

namespace overlap {

/// Do the trees at these elements relate? `leaf(a, b)` decides where one of them ends.
template <class Leaf>
constexpr bool relate(const pattern_record& p, int a, const pattern_record& q, int b, Leaf leaf) {
  const pattern_element& x = p.element[a];
  const pattern_element& y = q.element[b];
  if (x.op == nullptr || y.op == nullptr || x.args == 0 || y.args == 0) return leaf(x, y);
  if (x.op != y.op || x.args != y.args) return false;
  int i = a + 1;
  int k = b + 1;
  for (int n = 0; n < x.args; ++n) {
    if (!relate(p, i, q, k, leaf)) return false;
    i += subtree(p, i);
    k += subtree(q, k);
  }
  return true;
}

}  // namespace overlap

/// Does `general` match wherever `special` does?
[[nodiscard]] constexpr bool covers(const pattern_record& general, const pattern_record& special) {
  return overlap::relate(general, 0, special, 0,
                         [](const pattern_element& g, const pattern_element& s) {
                           return g.op == nullptr || (g.args == 0 && g.op == s.op);
                         });
}

/// Is there a graph in which both match with the same last node?
[[nodiscard]] constexpr bool can_meet(const pattern_record& p, const pattern_record& q) {
  return overlap::relate(p, 0, q, 0, [](const pattern_element& x, const pattern_element& y) {
    return x.op == nullptr || y.op == nullptr || x.op == y.op;
  });
}

}  // namespace ctq
