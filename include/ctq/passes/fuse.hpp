// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/passes/match.hpp"
#include "ctq/spec/fused_parts.hpp"

// Fusion: patterns that the backend can fuse become one node, named after the module that owns
// the weight (the root), with the root's arguments and the extra inputs that the config names. A
// batch norm disappears into that module; its name is kept, since the weights are folded when they
// are known.

namespace ctq {

struct fuse_options {
  ctq::semantics semantics{};
  bool is_qat = false;  // to be trained further
};

namespace fusing {

/// What an occurrence becomes; nullptr if it stays as it is.
constexpr op_id fused_op(const backend_pattern_config_record& c, bool is_qat) {
  if (c.fuser_method == nullptr || c.pattern.is_single()) return nullptr;
  const op_id root = c.pattern.element[root_element(c)].op;
  return c.fuser_method->fuse({.root = root, .fused_module = c.fused_module, .is_qat = is_qat});
}

/// All occurrences that can be fused.
constexpr occurrences find_fusible(graph_view<stage::traced> g, const backend_view& backend,
                                   const fuse_options& o) {
  return find_all(
      g, backend,
      [&o](const backend_pattern_config_record& c) { return fused_op(c, o.is_qat) != nullptr; },
      o.semantics);
}

/// Makes of a copy of the root what the whole occurrence becomes.
constexpr void become_fused(node& fused, graph_view<stage::traced> g, const backend_view& backend,
                            const occurrence& o, bool is_qat) {
  fused.op = fused_op(backend.configs[o.config], is_qat);
  fused.shape = g[o.last()].shape;
  for (const int part : o.nodes) {
    if (part < 0 || part == o.root() || !fused_parts::is_batch_norm(g[part].op)) continue;
    fused.batch_norm = path_of(g[part]);
    fused.batch_norm_eps = g[part].attrs.as<batch_norm2d_options>().eps;
  }
}

/// PyTorch 1.13: the other calls of a module that was fused at one place call what it has become.
constexpr void change_shared_modules(dynamic_graph<stage::fused>& out, const list<bool>& fused) {
  for (std::size_t i = 0; i < out.nodes.size(); ++i) {
    node& n = out.nodes[i];
    if (n.op->kind != op_kind::module) continue;
    for (std::size_t k = out.nodes.size(); k-- > 0;) {
      if (!fused[k] || path_of(out.nodes[k]) != path_of(n)) continue;
      n.op = out.nodes[k].op;
      n.batch_norm = out.nodes[k].batch_norm;
      n.batch_norm_eps = out.nodes[k].batch_norm_eps;
      break;
    }
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
  const occurrences fusible = fusing::find_fusible(g, backend, {});
  list<int> into(g.size());
  for (int i = 0; i < g.size(); ++i) {
    const int which = fusible.of_node[i];
    into[i] = which < 0 ? i : fusible.found[which].root();
  }
  return into;
}

/// Replaces each occurrence of a pattern with a fuser by one node, at the place of its last node.
[[nodiscard]] constexpr dynamic_graph<stage::fused> fuse(graph_view<stage::traced> g,
                                                         const backend_view& backend,
                                                         const fuse_options& options = {}) {
  const occurrences fusible = fusing::find_fusible(g, backend, options);
  list<bool> fused;
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
    if (o != nullptr) fusing::become_fused(out.nodes.back(), g, backend, *o, options.is_qat);
    fused.push_back(o != nullptr);
  }
  if (fusing_changes_shared_modules(options.semantics)) fusing::change_shared_modules(out, fused);
  return out;
}

}  // namespace ctq
