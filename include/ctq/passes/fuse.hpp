// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/passes/match.hpp"

// Fusion: patterns that the backend can fuse become one node, named after the module that owns
// the weight. A batch norm disappears into that module; its name is kept, since the weights are
// folded when they are known.

namespace ctq {

namespace fusing {

/// What an occurrence becomes in eval mode.
constexpr op_id fused_op(const backend_pattern_config_record& c, const node& root) {
  switch (c.fuser) {
    case fuser_kind::fuse_conv_bn: return root.op;
    case fuser_kind::fuse_conv_bn_relu: return nni::conv_relu2d.id();
    default: return c.fused_module;
  }
}

/// Makes of a copy of the root what the whole occurrence becomes.
constexpr void become_fused(node& fused, graph_view<stage::traced> g, const backend_view& backend,
                            const occurrence& o) {
  fused.op = fused_op(backend.configs[o.config], fused);
  fused.shape = g[o.last()].shape;
  for (const int part : o.nodes) {
    if (part < 0 || !is_any_of(g[part].op, nn::batch_norm2d)) continue;
    fused.batch_norm = g[part].name;
    fused.batch_norm_eps = g[part].attrs.as<batch_norm2d_options>().eps;
  }
}

}  // namespace fusing

/// Replaces each occurrence of a pattern with a fuser by one node, at the place of its last node.
[[nodiscard]] constexpr dynamic_graph<stage::fused> fuse(graph_view<stage::traced> g,
                                                         const backend_view& backend) {
  const occurrences fusible = find_all(g, backend, [](const backend_pattern_config_record& c) {
    return c.fuser != fuser_kind::none && c.pattern.element.size() > 1;
  });
  dynamic_graph<stage::fused> out;
  out.reserve(g.size(), g.arg_total());
  list<int> args;
  list<int> moved(g.size(), -1);  // from old indices to new ones
  for (int i = 0; i < g.size(); ++i) {
    const int which = fusible.of_node[i];
    const occurrence* const o = which < 0 ? nullptr : &fusible.found[which];
    if (o != nullptr && o->last() != i) continue;
    const int from = o != nullptr ? o->root() : i;
    args.clear();
    for (const int a : g.args_of(from)) args.push_back(moved[a]);
    moved[i] = out.add(g[from], args);
    if (o != nullptr) fusing::become_fused(out.nodes.back(), g, backend, *o);
  }
  return out;
}

}  // namespace ctq
