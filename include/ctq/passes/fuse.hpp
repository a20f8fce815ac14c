// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/passes/match.hpp"

// Fusion: patterns that the backend can fuse become one node, named after the module that owns
// the weight (the root), with the root's arguments and the extra inputs that the config names. A
// batch norm disappears into that module; its name is kept, since the weights are folded when they
// are known.

namespace ctq {

namespace fusing {

/// What an occurrence becomes in eval mode; nullptr if it stays as it is.
constexpr op_id fused_op(const backend_pattern_config_record& c) {
  if (c.fuser_method == nullptr || c.pattern.is_single()) return nullptr;
  const op_id root = c.pattern.element[root_element(c)].op;
  return c.fuser_method->fuse({.root = root, .fused_module = c.fused_module});
}

constexpr bool is_fusible(const backend_pattern_config_record& c) { return fused_op(c) != nullptr; }

/// Makes of a copy of the root what the whole occurrence becomes.
constexpr void become_fused(node& fused, graph_view<stage::traced> g, const backend_view& backend,
                            const occurrence& o) {
  fused.op = fused_op(backend.configs[o.config]);
  fused.shape = g[o.last()].shape;
  for (const int part : o.nodes) {
    if (part < 0 || part == o.root() || !is_any_of(g[part].op, nn::batch_norm2d)) continue;
    fused.batch_norm = g[part].name;
    fused.batch_norm_eps = g[part].attrs.as<batch_norm2d_options>().eps;
  }
}

/// The node that an extra input of the fused module is.
constexpr int extra_input(const backend_pattern_config_record& c, const occurrence& o,
                          const node_path& path) {
  const int n = o.nodes[element_at(c.pattern, path)];
  return n < 0 ? ~n : n;
}

}  // namespace fusing

/// By node: the one under whose name it is found when fuse is done, itself if it is not fused.
[[nodiscard]] constexpr list<int> fused_into(graph_view<stage::traced> g,
                                             const backend_view& backend) {
  const occurrences fusible = find_all(g, backend, fusing::is_fusible);
  list<int> into(g.size());
  for (int i = 0; i < g.size(); ++i) {
    const int which = fusible.of_node[i];
    into[i] = which < 0 ? i : fusible.found[which].root();
  }
  return into;
}

/// Replaces each occurrence of a pattern with a fuser by one node, at the place of its last node.
[[nodiscard]] constexpr dynamic_graph<stage::fused> fuse(graph_view<stage::traced> g,
                                                         const backend_view& backend) {
  const occurrences fusible = find_all(g, backend, fusing::is_fusible);
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
    if (o != nullptr)
      for (const node_path& extra : backend.configs[o->config].extra_inputs_getter)
        args.push_back(moved[fusing::extra_input(backend.configs[o->config], *o, extra)]);
    moved[i] = out.add(g[from], args);
    if (o != nullptr) fusing::become_fused(out.nodes.back(), g, backend, *o);
  }
  return out;
}

}  // namespace ctq
