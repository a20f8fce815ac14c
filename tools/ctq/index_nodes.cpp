// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index_nodes.hpp"

#include <cstddef>

#include "ctq/graph/integers.hpp"
#include "ctq/ops.hpp"

namespace tool {

namespace {

using ctq::op_kind;
using kind = ctq::argument::kind;

/// x.topk(2)[1], which are no elements of x.
[[nodiscard]] bool selects_places(ctq::graph_view<ctq::stage::traced> g, int i) {
  if (!is_any_of(g[i].op, ctq::op::getitem) || !g.arg(i, 0).op->descriptor->returns_indices)
    return false;
  const ctq::view<ctq::argument> all = g[i].row->args;
  return all.size() == 2 && all[1].is == kind::integer &&
         (all[1].integer == 1 || all[1].integer == -1);
}

}  // namespace

std::vector<bool> nodes_of_indices(ctq::graph_view<ctq::stage::traced> g) {
  std::vector<bool> indices(static_cast<std::size_t>(g.size()));
  for (int reader = g.size(); reader-- > 0;) {
    const ctq::op_id op = g[reader].op;
    if (op->kind == op_kind::placeholder && is_index(g[reader].dtype))
      indices[static_cast<std::size_t>(reader)] = true;
    // What has no shape rule gives sizes: x.shape is an index, but x is none. Nor is x of
    // x.long() and x.argmax().
    const bool is_tuple = op->descriptor->tuple_item != nullptr;
    const bool passes_on =
        indices[static_cast<std::size_t>(reader)] && keeps_integers(*op->descriptor) &&
        op->descriptor->infer_shape != nullptr && (is_tuple || !op->descriptor->returns_indices) &&
        !selects_places(g, reader);
    const bool looks_up = is_any_of(op, ctq::op::getitem) || !name_of_indices(op).empty();
    for (int a = 0; a < g[reader].arg_count; ++a)
      if ((passes_on && decides(gives_integers_if(*op->descriptor), a)) ||
          a < op->descriptor->index_inputs || (a > 0 && looks_up))
        indices[static_cast<std::size_t>(g.args_of(reader)[a])] = true;
  }
  return indices;
}

}  // namespace tool
