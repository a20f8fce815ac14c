// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/list.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// Observers that cannot do what a mapping asks of them; PyTorch raises an error for each.

namespace ctq {

/// Has an observer of this class a scale and a zero point to give? Those that have not serve dtypes
/// that need none.
[[nodiscard]] constexpr bool gives_qparams(observer_class c) {
  return c != observer_class::none && c != observer_class::placeholder &&
         c != observer_class::noop && c != observer_class::recording &&
         c != observer_class::reuse_input;
}

/// The output channels of a transposed convolution's weight are its second axis; per-channel
/// observers would give each input channel a scale. PyTorch looks no further than observers: a fake
/// quantize passes.
///   qconfigs  by node: its entry of the mapping
template <graph_at<stage::fused> Graph, class QConfigs>
[[nodiscard]] constexpr diagnostic check_conv_transpose_weights(const Graph& g,
                                                                const mapping_view& mapping,
                                                                const QConfigs& qconfigs) {
  diagnostic d;
  for (int i = 0; i < g.count; ++i) {
    if (!g.nodes[i].op->descriptor->is_transposed) continue;
    const int q = qconfigs[i];
    if (q < 0 || !mapping.entries[q].quantizes) continue;
    const observer_record& weight = mapping.entries[q].qconfig.weight;
    if (weight.fake_quantize != fake_quantize_class::none || !is_per_channel(weight.type)) continue;
    d.line("a transposed convolution cannot have")
        .line("a per-channel weight observer")
        .line("node: ", g.nodes[i].name)
        .line(g.nodes[i].op->name);
    break;
  }
  return d;
}

}  // namespace ctq
