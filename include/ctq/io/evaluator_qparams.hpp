// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>

#include "ctq/evaluate/evaluation_options.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"
#include "ctq/io/load_qparams.hpp"

namespace ctq {

/// Qparams from a file, as an evaluator of the converted graph takes them in options.qparams.
///
///   const auto qparams = evaluator_qparams(prepared.view(), *load_qparams(path)).value_or_exit();
///   evaluator<stage::lowered, fast_kernels> run(lowered.view(), modules, {.qparams = &qparams});
///
/// Errors  a value that prepare observes, but that has no qparams in the file
[[nodiscard]] inline result<model_qparams> evaluator_qparams(graph_view<stage::prepared> g,
                                                             const named_qparams& given) {
  model_qparams all;
  for (int i = 0; i < g.size(); ++i) {
    if (!has_calibrated_qparams(g[i])) continue;
    const auto found = given.of_observer(g, i);
    if (!found) return unexpected{found.error()};
    all.activations[g[i].observer] = tensor_qparams_of(g[i].observer_config->args.dtype, *found);
  }
  for (const auto& [path, p] : given.weights) {
    tensor_qparams& weight = all.weights[path + ".weight"];
    weight = {
        .dtype = qint8, .scale = {p.scale.begin(), p.scale.end()}, .zero_point = p.zero_point};
    if (p.scale.size() > 1) weight.axis = 0;
  }
  return all;
}

}  // namespace ctq
