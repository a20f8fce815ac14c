// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/core/containers/span.hpp"
#include "ctq/core/report.hpp"
#include "ctq/core/terminate.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/check_qparams.hpp"
#include "ctq/runtime/converted_model.hpp"
#include "ctq/runtime/observed_model.hpp"
#include "ctq/runtime/quantize_parameters.hpp"
#include "ctq/train/check_trainable.hpp"
#include "ctq/train/trained_qparams.hpp"
#include "ctq/train/training_graph.hpp"

// Quantization-aware training: the model computes with rounded weights and activations, and is
// trained so that it is accurate with them.
//
//   auto model = prepare_qat<lenet, npu, mapping>(weights);
//   sgd optimizer({.learning_rate = 0.01F, .momentum = 0.9F});
//   for (each batch) {
//     auto logits = model.forward(images).value_or_exit();
//     auto loss = cross_entropy(logits, labels).value_or_exit();
//     model.zero_gradients();
//     model.backward(loss.gradient).value_or_exit();
//     optimizer.step(model.parameters());
//   }
//   auto int8 = convert(model);

namespace ctq {

struct qat_options {
  ctq::semantics semantics{};        // the PyTorch release whose fake quantizes it has
  std::uint64_t seed = 0;            // of dropout
  double batch_norm_momentum = 0.1;  // how far running statistics move to those of a batch
};

/// A model in training. It starts in training mode, observers and fake quantizes enabled.
///
/// Threads   one at a time
/// Lifetime  owns all it needs, including the values of the last batch: about ten floats for each
///           element of each activation
/// Requires  not moved from; checked where values, parameters or the graph are asked for
template <const auto& Model, class Plan, class Isa = isa::of_models>
class qat_model {
 public:
  using plan = Plan;
  /// The instruction set of training. The kernels of the library ctq-kernels are only for
  /// inference.
  using isa = std::conditional_t<std::is_same_v<Isa, ctq::isa::compiled>, ctq::isa::native, Isa>;

  explicit qat_model(const model_weights<Model>& w, const qat_options& o = {})
      : given_(w), graph_(Plan::prepared.view(), Plan::mapping, given_.get(), o.semantics, o.seed) {
    graph_.mode().batch_norm_momentum = o.batch_norm_momentum;
  }

  /// The output for a batch: contiguous samples, in the order of their axes. It is valid until the
  /// next forward.
  ///   images  contiguous samples, each in the shape of the placeholder: N, C, H, W
  /// Errors  no samples, or a part of one; NaN; a batch norm of one element per channel
  [[nodiscard]] result<span<const float>> forward(span<const float> images) {
    return graph().forward(images);
  }

  /// Adds the gradients for the last forward to those of the parameters.
  ///   grad_out  the gradient of the loss with respect to the output
  /// Errors    another number of elements; no forward before
  [[nodiscard]] status backward(span<const float> grad_out) { return graph().backward(grad_out); }
  void zero_gradients() { graph_.zero_gradients(); }

  /// Weights, biases, gammas and betas by their names in the state_dict, then the scales and zero
  /// points of learnable fake quantizes. Views, valid until the next forward.
  [[nodiscard]] std::vector<training::parameter_view> parameters() { return graph().parameters(); }

  /// In evaluation dropout does nothing, and batch norms use their running statistics. Observers
  /// observe as before: see enable_observer.
  void train(bool on = true) { graph_.mode().training = on; }
  void eval() { train(false); }
  /// Batch norms use their running statistics, and no longer move them (PyTorch: freeze_bn_stats).
  void freeze_batch_norm(bool on = true) { graph_.mode().frozen_norms = on; }

  /// Whether fake quantizes update their ranges.
  void enable_observer(bool on = true) {
    graph_.for_each_fake_quantize([&](auto& f) { f.enable_observer(on); });
  }
  void disable_observer() { enable_observer(false); }
  /// Whether they round.
  void enable_fake_quant(bool on = true) {
    graph_.for_each_fake_quantize([&](auto& f) { f.enable_fake_quant(on); });
  }
  void disable_fake_quant() { enable_fake_quant(false); }
  /// Learnable fake quantizes: from now on the optimizer sets scales and zero points, not the
  /// observer.
  void enable_param_learning() {
    graph_.for_each_fake_quantize([](auto& f) {
      if (auto* const l = f.template get_if<observers::learnable_fake_quantize>())
        l->enable_param_learning();
    });
  }

  /// The trained tensors by their names in the state_dict, including running statistics.
  [[nodiscard]] weights float_weights() {
    std::vector<weight_tensor> all = given_.get().tensors();
    graph().for_each_tensor([&](training::trained_tensor& t, bool) {
      for (weight_tensor& w : all)
        if (w.name == t.name) w.values = t.value;
    });
    return weights{std::move(all)};
  }

  /// The graph node by node: values, gradients, fake quantizes.
  [[nodiscard]] training::training_graph<isa>& graph() {
    require(!graph_.empty(), "this qat_model was moved from");
    return graph_;
  }

 private:
  model_weights<Model> given_;
  training::training_graph<isa> graph_;
};

/// A model in training, with the fake quantizes that the mapping requests, where PyTorch's
/// prepare_qat_fx inserts them.
///   w        the float weights to start from
///   Mapping  QConfigs of fake quantizes; without one the backend's default for training
///   Options  as of prepare; is_qat is set in any case
/// Errors   only at compile time: as prepare; an op without a gradient, an observer that does not
///          fake-quantize
template <const auto& Model, class Backend, class Mapping = default_qat_qconfig_mapping<Backend>,
          unsupported Policy = unsupported::error, class Isa = isa::of_models,
          class Options = plan_options>
[[nodiscard, gnu::cold]] auto prepare_qat(const model_weights<Model>& w,
                                          const qat_options& o = {Options::semantics}) {
  using plan = plan<Model, Backend, Mapping, Policy, qat_plan_options<Options>>;
  // Reported first.
  static_cast<void>(
      sizeof(report<plan_check<Model, Backend, Mapping, Policy, qat_plan_options<Options>>>));
  static_cast<void>(sizeof(report<training::trainable_check<plan>>));
  return qat_model<Model, plan, Isa>{w, o};
}

/// The int8 model of a trained one, with the qparams of its fake quantizes, and with batch norms
/// folded into its weights. As in PyTorch, each weight is observed once more after folding.
///   inputs   of a plan with input_quantized_indexes
///   options  which code is compiled, as for an observed model
/// Errors   as convert of an observed model; a fake quantize that has seen no data
template <const auto& Model, class Plan, class Isa, code_option... Option>
[[nodiscard, gnu::cold]] auto convert(qat_model<Model, Plan, Isa>& trained,
                                      const input_qparams& inputs, Option...) {
  using model = converted_model<Plan, Isa, Option...>;
  auto& graph = trained.graph();
  const semantics s = graph.semantics();
  auto all = training::observers_of(graph);
  auto qparams = calculate_qparams(Plan::prepared.view(), Plan::backend, all, s,
                                   training::learned_qparams(graph));
  if (qparams) qparams = with_inputs<Plan>(*std::move(qparams), inputs);
  if (!qparams) return result<model>{unexpected{qparams.error()}};
  const weights w = trained.float_weights();
  auto of_weights = training::weights_qparams(graph, w);
  if (!of_weights) return result<model>{unexpected{of_weights.error()}};
  auto tensors = quantize_parameters<typename model::plan>(w, s, *of_weights);
  if (!tensors) return result<model>{unexpected{tensors.error()}};
  return model::make({*std::move(tensors), *std::move(qparams), s});
}
template <const auto& Model, class Plan, class Isa, code_option... Option>
[[nodiscard, gnu::cold]] auto convert(qat_model<Model, Plan, Isa>& trained, Option... options) {
  return convert(trained, input_qparams{}, options...);
}

}  // namespace ctq
