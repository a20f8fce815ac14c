// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

#include "ctq/runtime/check_qparams.hpp"
#include "ctq/runtime/converted_model.hpp"
#include "ctq/runtime/observed_model.hpp"
#include "ctq/runtime/packing/custom_modules.hpp"
#include "ctq/runtime/quantize_parameters.hpp"

// From a calibrated model to its int8 model:
//
//   auto observed = prepare<lenet, npu>(weights);
//   for (const auto& image : calibration) observed(image);
//   auto model = convert(observed);

namespace ctq {

/// The int8 model of an observed one: qparams from the observers, weights quantized and packed.
/// Returns a result<quantized_model<…>>, or with the option dispatch a
/// result<dispatched_model<…>>.
///   inputs   of a plan with input_quantized_indexes
///   options  which code is compiled: convert(observed, add_within_one_step)
/// Errors   a node whose observer has seen no data, or NaN, or a range that has no scale or none
///          that the backend allows; a sum that could leave int32; as quantize_parameters,
///          quantized_model::make or dispatched_model::make. The place of the error is the node, if
///          it has one
/// Threads  reads the observed model, which must not run meanwhile
template <const auto& Model, class Plan, class Isa, code_option... Option>
[[nodiscard, gnu::cold]] auto convert(const observed_model<Model, Plan, Isa>& observed,
                                      const input_qparams& inputs, Option...) {
  using model = converted_model<Plan, Isa, Option...>;
  auto qparams = calculate_qparams(Plan::prepared.view(), Plan::backend, observed.observers(),
                                   observed.semantics());
  if (qparams) qparams = with_inputs<Plan>(*std::move(qparams), inputs);
  if (!qparams) return result<model>{unexpected{qparams.error()}};
  auto tensors = quantize_parameters<typename model::plan>(
      quantized_weights_of<Plan>(observed.float_weights(), *qparams), observed.semantics());
  if (!tensors) return result<model>{unexpected{tensors.error()}};
  return model::make({*std::move(tensors), *std::move(qparams), observed.semantics()});
}
template <const auto& Model, class Plan, class Isa, code_option... Option>
[[nodiscard, gnu::cold]] auto convert(const observed_model<Model, Plan, Isa>& observed,
                                      Option... options) {
  return convert(observed, input_qparams{}, options...);
}

}  // namespace ctq
