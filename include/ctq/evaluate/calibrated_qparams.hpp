// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/evaluation_options.hpp"
#include "ctq/evaluate/observer_set.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/observers/observer.hpp"

namespace ctq {

/// The qparams that the observers of a prepared graph have found, as an evaluator of the converted
/// graph takes them in options.qparams.
///
///   evaluator<stage::prepared> calibrate(prepared.view(), modules, {.observers = &observers});
///   for (const auto& sample : samples) calibrate.forward(sample).value_or_exit();
///   const auto qparams = calibrated_qparams(prepared.view(), observers).value_or_exit();
///   evaluator<stage::lowered> run(lowered.view(), modules, {.qparams = &qparams});
///
/// Errors  an observer that has seen nothing, or only infinite values, or NaN, or a range that has
///         no scale; with the first such node of the graph
[[nodiscard]] inline result<model_qparams> calibrated_qparams(graph_view<stage::prepared> g,
                                                              const observer_set& calibrated) {
  model_qparams all;
  for (int i = 0; i < g.size(); ++i) {
    if (!has_calibrated_qparams(g[i])) continue;
    const std::string place = place_of(g.arg(i, 0));
    const tensor_observer* const o = calibrated.find(g[i].observer);
    if (o == nullptr || !o->observed())
      return fail(place, observers::reason_of_no_range(o != nullptr && o->ignored_infinity()));
    const auto found = o->qparams();
    if (!found) return fail(place + ", " + found.error().place, found.error().cause);
    all.activations[g[i].observer] = *found;
  }
  return all;
}

}  // namespace ctq
