// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/report.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/io/load_qparams.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/check_qparams.hpp"
#include "ctq/runtime/converted_model.hpp"
#include "ctq/runtime/quantize_parameters.hpp"
#include "ctq/runtime/weights.hpp"

// The int8 model of a network that PyTorch has trained for quantization: the integers of
// convert_fx.
//
//   auto weights = load_weights<net>("net.safetensors").value_or_exit();
//   auto qparams = load_qparams("net.qparams.safetensors").value_or_exit();
//   auto model = convert_trained<net, x86, mapping>(weights, qparams);

namespace ctq {

namespace trained_elsewhere {

/// The qparams of activations, by number of the observer.
/// Errors  a value without qparams
template <int = 0>
[[nodiscard, gnu::cold]] result<std::vector<qparams>> activations(graph_view<stage::prepared> g,
                                                                  const named_qparams& given) {
  std::vector<qparams> all(static_cast<std::size_t>(g.observers));
  for (int i = 0; i < g.size(); ++i) {
    if (!is_any_of(g[i].op, q::activation_post_process)) continue;
    if (g[i].observer_config->args.is_dynamic) continue;
    const auto found = given.of_observer(g, i);
    if (!found) return unexpected{found.error()};
    all[static_cast<std::size_t>(g[i].observer)] = *found;
  }
  return all;
}

/// The qparams of the weights of quantized layers.
/// Errors  a quantized layer whose weight has none
template <int = 0>
[[nodiscard, gnu::cold]] result<std::vector<trained_qparams>> weights_of_layers(
    span<const node> lowered, const named_qparams& given) {
  std::vector<trained_qparams> all;
  for (const node& n : lowered) {
    if (n.op == nullptr || n.weight == nullptr) continue;
    const auto at = given.weights.find(path_of(n));
    if (at == given.weights.end())
      return fail(place_of(n) + ", weight", "the file of qparams has no weight_scale of it");
    all.push_back({n.name, at->second});
  }
  return all;
}

}  // namespace trained_elsewhere

/// The int8 model with these weights, scales and zero points, without calibration. Returns a
/// result<quantized_model<…>>, or with the option dispatch a result<dispatched_model<…>>.
///   w        the trained float weights, with batch norms, as load_weights returns them
///   given    as load_qparams returns them
///   Mapping, Policy, Options  as of prepare: those of prepare_qat_fx
///   inputs   of a plan with input_quantized_indexes
///   options  which code is compiled, as for an observed model
/// Errors     at compile time as prepare; a value or a weight without qparams, with its node; as
///            quantize_parameters, quantized_model::make or dispatched_model::make
template <const auto& Model, class Backend, class Mapping, unsupported Policy = unsupported::error,
          class Isa = isa::of_models, class Options = plan_options, code_option... Option>
[[nodiscard, gnu::cold]] auto convert_trained(const model_weights<Model>& w,
                                              const named_qparams& given,
                                              const input_qparams& inputs = {}, Option...) {
  // Reported first.
  static_cast<void>(
      sizeof(report<plan_check<Model, Backend, Mapping, Policy, qat_plan_options<Options>>>));
  using plan = plan<Model, Backend, Mapping, Policy, qat_plan_options<Options>>;
  using model = converted_model<plan, Isa, Option...>;
  auto qparams = trained_elsewhere::activations(plan::prepared.view(), given);
  if (qparams) qparams = with_inputs<plan>(*std::move(qparams), inputs);
  if (!qparams) return result<model>{unexpected{qparams.error()}};
  const auto of_weights =
      trained_elsewhere::weights_of_layers(span<const node>(plan::lowered.nodes), given);
  if (!of_weights) return result<model>{unexpected{of_weights.error()}};
  auto tensors =
      quantize_parameters<typename model::plan>(w.get(), Options::semantics, *of_weights);
  if (!tensors) return result<model>{unexpected{tensors.error()}};
  return model::make({*std::move(tensors), *std::move(qparams), Options::semantics});
}

}  // namespace ctq
