// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/containers/list.hpp"
#include "ctq/core/diagnostic.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/passes/check_dtype_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// Observers that a node cannot have, though the mapping requests them; PyTorch raises errors.

namespace ctq {

/// Whether an observer of this class computes a scale and a zero point. Others are for dtypes that
/// need none.
[[nodiscard]] constexpr bool gives_qparams(observer_class c) {
  return c != observer_class::none && accepting::has_range(c);
}

/// The output channels of a transposed convolution's weight are its second axis; per-channel
/// observers would give each input channel a scale. PyTorch checks observers only, not fake
/// quantizes.
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
