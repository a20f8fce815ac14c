// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/passes/prepare.hpp"

// Why each dtype config of a node's pattern does not fit its qconfig. prepare keeps only one
// reason, so it is run for k = 0, 1, …, on backends with only the k-th dtype config of each
// pattern.

namespace ctq {

namespace explaining {

/// The backend with the k-th dtype config of each pattern, or none.
///   configs  where they are kept
constexpr backend_view only_config(const backend_view& backend, int k,
                                   list<backend_pattern_config_record>& configs) {
  configs.clear();
  configs.reserve(backend.configs.size());
  for (const backend_pattern_config_record& c : backend.configs) {
    configs.push_back(c);
    const view<dtype_config_record> all = c.dtype_configs;
    configs.back().dtype_configs =
        k < all.size() ? view<dtype_config_record>{all.items + k, 1} : view<dtype_config_record>{};
  }
  return {backend.name, {configs.data(), static_cast<int>(configs.size())}};
}

constexpr int most_dtype_configs(const backend_view& backend) {
  int most = 0;
  for (const backend_pattern_config_record& c : backend.configs)
    most = c.dtype_configs.size() > most ? c.dtype_configs.size() : most;
  return most;
}

}  // namespace explaining

/// By node of the fused graph: the dtype configs of its pattern that were tried before one that
/// fits, in order, each with the clause that failed. Empty for nodes without a qconfig or pattern.
/// A template, so that programs that explain nothing do not instantiate the passes for run time.
template <int = 0>
[[nodiscard]] constexpr list<list<rejection>> rejected_dtype_configs(graph_view<stage::fused> g,
                                                                     const backend_view& backend,
                                                                     const mapping_view& mapping,
                                                                     prepare_options options) {
  options.policy = unsupported::skip;
  const list<int> qconfigs = resolve_qconfigs(g, mapping, options.semantics);
  list<list<rejection>> found(g.size());
  list<bool> fits(g.size(), false);
  list<backend_pattern_config_record> configs;
  for (int k = 0; k < explaining::most_dtype_configs(backend); ++k) {
    const backend_view only = explaining::only_config(backend, k, configs);
    const dynamic_graph<stage::prepared> p = prepare_graph(g, only, mapping, qconfigs, options);
    int i = -1;  // of the fused graph, whose nodes keep their order
    for (const node& n : p.nodes) {
      if (is_any_of(n.op, q::activation_post_process)) continue;
      ++i;
      if (n.choice.pattern < 0 || fits[i]) continue;
      if (k >= backend.configs[n.choice.pattern].dtype_configs.size()) continue;
      fits[i] = n.choice.why.why == rejection::clause::none;
      if (fits[i]) continue;
      found[i].push_back(n.choice.why);
      found[i].back().dtype_config = k;
    }
  }
  return found;
}

}  // namespace ctq
