// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/diagnostic.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// Weight observers whose scales compiled code cannot use.

namespace ctq {

namespace checking {

/// Whether a weight would have scales along another axis than the outputs. Fake quantizes are
/// trained with the axis that they have.
constexpr bool has_other_axis(const mapping_entry& e) {
  const observer_record& w = e.qconfig.weight;
  return e.quantizes && is_per_channel(w.type) && w.args.ch_axis != 0 &&
         w.fake_quantize == fake_quantize_class::none;
}

}  // namespace checking

/// Reports a quantized weight with such an observer. Looks at nodes only if the mapping has one.
template <class Graph>
[[nodiscard]] constexpr diagnostic check_compiled_weights(const Graph& prepared,
                                                          const mapping_view& mapping) {
  diagnostic d;
  bool any = false;
  for (int i = 0; i < mapping.count; ++i) any = any || checking::has_other_axis(mapping.entries[i]);
  for (int i = 0; any && i < prepared.count && !d.any(); ++i) {
    const node& n = prepared.nodes[i];
    if (!n.choice.quantized() || n.op->descriptor->weights != op_weights::quantizable) continue;
    const mapping_entry& e = mapping.entries[n.choice.qconfig];
    if (!checking::has_other_axis(e)) continue;
    d.line("compiled code needs a scale for each").line("output, or one for all; node ", n.name);
    d.line("has ch_axis ", e.qconfig.weight.args.ch_axis, ": set it to 0");
  }
  return d;
}

}  // namespace ctq
