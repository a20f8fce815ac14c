// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/diagnostic.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// PyTorch 1.13 rejects a mapping that gives a sigmoid, a softmax or a tanh, as a module or as a
// function, another observer than the one with the scale and zero point of its range.

namespace ctq {

namespace fixed_qparams {

/// Whether the observer has the range of the op: 0 to 1, or -1 to 1.
constexpr bool fits(const observer_record& activation, op_id op) {
  const observer_args& a = activation.args;
  const bool placeholder = activation.type == observer_class::placeholder;
  if (placeholder && a.dtype == f16) return true;
  const bool from_neg1 = op->descriptor->on_integers == on_integers::from_neg1_to_1;
  return activation.type == observer_class::fixed_qparams && a.dtype == quint8 &&
         has_custom_range(a) && a.scale == (from_neg1 ? 0x1p-7F : 0x1p-8F) &&
         a.zero_point == (from_neg1 ? 128 : 0);
}

}  // namespace fixed_qparams

/// The first node with such an observer.
///   qconfigs  by node: its entry of the mapping
template <class QConfigs>
[[nodiscard]] constexpr diagnostic check_fixed_qparams(graph_view<stage::fused> g,
                                                       const mapping_view& mapping,
                                                       const QConfigs& qconfigs) {
  diagnostic d;
  for (int i = 0; i < g.size() && !d.any(); ++i) {
    const op_id op = g[i].op;
    const int q = qconfigs[i];
    if (op->kind == op_kind::method || !has_fixed_qparams(*op->descriptor)) continue;
    if (q < 0 || !mapping.entries[q].quantizes) continue;
    if (fixed_qparams::fits(mapping.entries[q].qconfig.activation, op)) continue;
    d.line("QConfigMapping must specify fixed qparams")
        .line("observer for fixed qparams op")
        .line("node: ", g[i].name)
        .line(op->name);
  }
  return d;
}

}  // namespace ctq
