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

constexpr node fused_node(graph_view<stage::traced> g, const backend_view& backend,
                          const occurrence& o) {
  const node& last = g[o.last()];
  node fused = g[o.root()];
  fused.op = fused_op(backend.configs[o.config], fused);
  fused.shape = last.shape;
  for (const int part : o.nodes) {
    if (part < 0 || !is_any_of(g[part].op, nn::batch_norm2d)) continue;
    fused.batch_norm = g[part].name;
    fused.batch_norm_eps = g[part].attrs.as<batch_norm2d_options>().eps;
  }
  return fused;
}

}  // namespace fusing

/// Replaces each occurrence of a pattern with a fuser by one node, at the place of its last node.
[[nodiscard]] constexpr dynamic_graph<stage::fused> fuse(graph_view<stage::traced> g,
                                                         const backend_view& backend) {
  const occurrences fusible =
      find_all(g, backend, [](const backend_pattern_config_record& c) {
        return c.fuser != fuser_kind::none && c.pattern.element.size() > 1;
      });
  dynamic_graph<stage::fused> out;
  list<int> moved(static_cast<std::size_t>(g.size()), -1);  // from old indices to new ones
  for (int i = 0; i < g.size(); ++i) {
    const int which = fusible.of_node[static_cast<std::size_t>(i)];
    const occurrence* const o = which < 0 ? nullptr : &fusible.found[static_cast<std::size_t>(which)];
    if (o != nullptr && o->last() != i) continue;
    list<int> args;
    for (const int a : g.args_of(o != nullptr ? o->root() : i))
      args.push_back(moved[static_cast<std::size_t>(a)]);
    moved[static_cast<std::size_t>(i)] =
        out.add(o != nullptr ? fusing::fused_node(g, backend, *o) : g[i], args);
  }
  return out;
}

}  // namespace ctq
