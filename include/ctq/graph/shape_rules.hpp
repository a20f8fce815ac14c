// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/graph/node.hpp"
#include "ctq/ops/shape_checks.hpp"

// The shape of a node's output, by the rule of its op, which also completes the node's options.

namespace ctq::shape_rules {

/// Checks the shape that a placeholder or a get_attr is given; only the latter may be a scalar.
constexpr void check_given(const node& n, view<shape> in, diagnostic& d) {
  if (!needs(d, in, 0, 0)) return;
  bool positive = n.shape.rank > 0 || n.op->kind == op_kind::get_attr;
  for (int axis = 0; axis < n.shape.rank; ++axis) positive = positive && n.shape[axis] > 0;
  if (positive) return;
  complain(d, "a shape has axes, each 1 or more");
  show_input(d, n.shape);
}

/// Sets the shape of n and completes its options, or reports what is wrong.
///   in  the shapes of its inputs
///   d   unchanged if it has a message already
constexpr void infer(node& n, view<shape> in, diagnostic& d) {
  if (d.any()) return;
  if (n.op->kind == op_kind::placeholder || n.op->kind == op_kind::get_attr) {
    check_given(n, in, d);
  } else if (n.op->descriptor->infer_shape == nullptr) {
    if (n.op->builtin) {
      d.line("compiled models do not have").line(n.op->name);
      d.line("ctq::evaluator runs it; to compile it,").line("write it as an op of your own");
    } else {
      d.line("no shape rule for ", n.op->name).line("an op of your own defines");
      d.line("static float apply(float)");
    }
  } else {
    n.shape = n.op->descriptor->infer_shape(in, n.attrs, d);
  }
  if (!d.any()) countable_elements(d, n.shape, "the output");
  if (!d.any()) return;
  const diagnostic found = d;
  d = {};
  d.line("node ", n.name, ":").line(found.message());
}

/// The i of x[i] for a tuple x; negative values count from the end.
[[nodiscard]] constexpr int item_index(const node& getitem) {
  const index_list index = getitem.attrs.as<getitem_options>().index;
  if (index.count != 1 || index.item[0].is() != index_item::element) return INT32_MIN;
  return index.item[0].start;
}

/// Whether x[i] is the indices in a tuple of values and indices.
[[nodiscard]] constexpr bool selects_indices(const node& getitem, const node& tuple) {
  const int item = item_index(getitem);
  return tuple.op->descriptor->returns_indices && (item == 1 || item == -1);
}

/// The same for x[i], if x is a tuple.
constexpr void infer_item(node& n, const node& tuple, diagnostic& d) {
  if (d.any()) return;
  const strided_view whole = contiguous_view(tuple.shape, layout::nchw);
  const int item = item_index(n);
  n.shape = tuple.op->descriptor->tuple_item(tuple.attrs, whole, item).shape;
  if (selects_indices(n, tuple)) n.dtype = i64;
  if (n.shape.rank > 0) return;
  d.line("node ", n.name, ":");
  if (item == INT32_MIN)
    d.line("op::getitem selects one tensor of").line(tuple.name);
  else
    d.line("there is no tensor ", item, " of").line(tuple.name);
}

}  // namespace ctq::shape_rules
