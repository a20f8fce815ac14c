// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/passes/match.hpp"
#include "ctq/spec/fused_parts.hpp"

// Fusion: patterns that the backend can fuse become one node, named after the module that owns
// the weight (the root), with the root's arguments and the extra inputs that the config names. A
// batch norm is folded into that module; its name is kept for when the weights are known.

namespace ctq {

/// The options of fuse.
struct fuse_options {
  ctq::semantics semantics{};
  bool is_qat = false;  // for quantization-aware training
};

namespace fusing {

/// The op that an occurrence is fused to; nullptr: it stays unchanged.
constexpr op_id fused_op(const backend_pattern_config_record& c, bool is_qat) {
  if (c.fuser_method == nullptr || c.pattern.is_single()) return nullptr;
  const op_id root = c.pattern.element[root_element(c)].op;
  return c.fuser_method->fuse({.root = root, .fused_module = c.fused_module, .is_qat = is_qat});
}

template <bool IsQat>
constexpr bool is_fusible(const backend_pattern_config_record& c) {
  return fused_op(c, IsQat) != nullptr;
}

/// PyTorch 1.13: the other calls of a module that was fused in one place call the fused module,
/// too.
///   fused  by node: whether it was fused here
template <class Graph, class Fused>
constexpr void change_shared_modules(Graph& out, int count, const Fused& fused) {
  for (int i = 0; i < count; ++i) {
    node& n = out.nodes[i];
    if (n.op->kind != op_kind::module) continue;
    for (int k = count; k-- > 0;) {
      const node& changed = out.nodes[k];
      if (!fused[k] || path_of(changed) != path_of(n)) continue;
      n.op = changed.op;
      n.batch_norm = changed.batch_norm;
      n.batch_norm_eps = changed.batch_norm_eps;
      break;
    }
  }
}

template <class Graph, class Out>
class fusion {
 public:
  constexpr fusion(const Graph& g, const backend_view& backend, const occurrences<Graph>& fusible,
                   const fuse_options& options, Out& out)
      : g_(g), backend_(backend), fusible_(fusible), is_qat_(options.is_qat), out_(out) {
    out.open(g.count, g.arg_total());
    resize_all(g.count, moved_, fused_);
    for (int i = 0; i < g.count; ++i) {
      const int k = fusible.of_node[i];
      if (k < 0) {
        copy(i, i);
      } else if (fusible.last(k) == i) {
        fuse(i, k);
      }
    }
    if (fusing_changes_shared_modules(options.semantics))
      change_shared_modules(out, count_, fused_);
    out.close(count_, args_);
  }

 private:
  /// Appends node `from` in the place of node i.
  constexpr void copy(int from, int i) {
    out_.nodes[count_] = g_.nodes[from];
    out_.nodes[count_].first_arg = args_;
    const int first = g_.nodes[from].first_arg;
    for (int a = first; a < first + g_.nodes[from].arg_count; ++a)
      out_.args[args_++] = moved_[g_.args[a]];
    moved_[i] = count_++;
  }

  /// Appends the fused module of occurrence k, in the place of its last node, i.
  constexpr void fuse(int i, int k) {
    const int root = fusible_.root(k);
    const int added = count_;
    const backend_pattern_config_record& config = backend_.configs.items[fusible_.found[k].config];
    copy(root, i);
    for (const node_path& extra : config.extra_inputs_getter) {
      const int n = fusible_.part[fusible_.found[k].first + element_at(config.pattern, extra)];
      out_.args[args_++] = moved_[n < 0 ? ~n : n];
    }
    out_.nodes[added].arg_count = args_ - out_.nodes[added].first_arg;
    out_.nodes[added].op = fused_op(config, is_qat_);
    out_.nodes[added].shape = g_.nodes[i].shape;
    if (const op_schedule& s = out_.nodes[added].op->descriptor->schedule; s.then != nullptr) {
      out_.nodes[added].attrs = with_following(out_.nodes[added].attrs, g_.nodes[i].attrs);
      out_.nodes[added].then_row = g_.nodes[i].row;
    }
    fused_[added] = true;
    const int first = fusible_.found[k].first;
    for (int e = first; e < first + fusible_.found[k].count; ++e) {
      const int part = fusible_.part[e];
      if (part < 0 || part == root || !fused_parts::is_batch_norm(g_.nodes[part].op)) continue;
      out_.nodes[added].batch_norm = path_of(g_.nodes[part]);
      out_.nodes[added].batch_norm_eps =
          g_.nodes[part].attrs.template as<batch_norm2d_options>().eps;
    }
  }

  const Graph& g_;
  backend_view backend_;
  const occurrences<Graph>& fusible_;
  bool is_qat_{};
  Out& out_;
  scratch_array<int, Graph::max_nodes> moved_{};  // from old indices to new ones
  scratch_array<bool, Graph::max_nodes> fused_{};
  int count_ = 0;
  int args_ = 0;
};

}  // namespace fusing

/// The patterns of a backend that are fused to one node.
template <class Backend, bool IsQat = false>
inline constexpr auto fusible_patterns_v = indexing::make<Backend, fusing::is_fusible<IsQat>>();

/// By node: the node whose name it has after fusion; itself if it is not fused.
template <class Out = list<int>>
[[nodiscard]] constexpr Out fused_into(graph_view<stage::traced> g, const backend_view& backend) {
  const auto fusible =
      find_all(g, backend, [](const auto& c) { return fusing::is_fusible<false>(c); });
  Out into(g.size());
  for (int i = 0; i < g.size(); ++i)
    into[i] = fusible.of_node[i] < 0 ? i : fusible.root(fusible.of_node[i]);
  return into;
}

/// Replaces each occurrence of a pattern with a fuser by one node, at the place of its last node.
///   patterns  those that can be fused
template <graph_at<stage::traced> Graph, class Patterns, class Out>
constexpr void fuse_into(const Graph& g, const backend_view& backend, const Patterns& patterns,
                         const fuse_options& options, Out& out) {
  occurrences<Graph> fusible;
  find_all(g, patterns, options.semantics, fusible);
  fusing::fusion<Graph, Out>{g, backend, fusible, options, out};
}

/// The fused graph: each occurrence of a pattern that the backend can fuse is one node.
template <class Out = dynamic_graph<stage::fused>>
[[nodiscard]] constexpr Out fuse(graph_view<stage::traced> g, const backend_view& backend,
                                 const fuse_options& options = {}) {
  dynamic_pattern_index patterns;
  index_patterns(
      backend, [&](const auto& c) { return fusing::fused_op(c, options.is_qat) != nullptr; },
      patterns);
  Out out;
  fuse_into(g, backend, patterns, options, out);
  return out;
}

}  // namespace ctq
