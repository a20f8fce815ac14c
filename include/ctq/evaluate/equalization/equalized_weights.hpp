// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/report.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/equalization/equalizer.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/tensor.hpp"
#include "ctq/runtime/weights.hpp"

// Input-weight equalization of a model in a constant, before it is prepared:
//
//   auto columns = observe_columns<lenet, npu>(weights);
//   for (auto& image : calibration) columns(image);
//   auto equal = equalize(columns);                     // result<equalized_weights<…>>
//   auto observed = prepare<lenet, npu, int8_everywhere>(equal->weights);
//   for (auto& image : calibration) observed(equal->scaled(image));
//
// Layers that would need a multiplication in the middle of the model are left unchanged.

namespace ctq {

namespace equalizing {

/// The weights, as an evaluator reads them.
[[nodiscard]] inline module_state modules_of(const weights& w) {
  module_state modules;
  for (const weight_tensor& t : w.tensors())
    modules.set_tensor(t.name, float_ops::tensor{t.shape, t.values});
  return modules;
}

}  // namespace equalizing

/// Equalized weights. With scaled data the model computes the same as before.
template <const auto& Model, class Backend>
class equalized_weights {
  static constexpr auto& schedule = fused_schedule_v<Model, Backend>;
  static_assert(schedule.input_count == 1, "equalization scales the one input of a model");

 public:
  using input = typename io_types<schedule>::input;
  using input_view = typename io_types<schedule>::input_view;

  equalized_weights(model_weights<Model> w, std::vector<layer_equalization> layers)
      : weights(std::move(w)), layers_(std::move(layers)) {}

  model_weights<Model> weights;

  /// The input that the model with these weights needs instead of x, in calibration and later.
  [[nodiscard]] input scaled(input_view x) const {
    input out;
    std::copy(x.data(), x.data() + input::size, out.data());
    const shape& s = schedule.inputs[0].shape;
    for (const layer_equalization& l : layers_) {
      if (l.at.placeholder < 0) continue;
      const int axis = channel_axis(fused_v<Model, Backend>.view()[l.at.layer.node].op);
      observers::for_each_slice(s, axis, [&](std::size_t c, std::size_t at, std::size_t count) {
        for (std::size_t i = at; i < at + count; ++i) out[i] *= l.scale[c];
      });
    }
    return out;
  }

  /// The factors of each layer; nodes are those of fused_v.
  [[nodiscard]] span<const layer_equalization> layers() const { return layers_; }

 private:
  std::vector<layer_equalization> layers_;
};

/// The float model, which observes the inputs of its layers.
template <const auto& Model, class Backend>
class column_observing_model : report<float_check<Model, Backend>> {
  static constexpr auto& schedule = fused_schedule_v<Model, Backend>;

 public:
  using input = typename io_types<schedule>::input_view;

  column_observing_model(const model_weights<Model>& w, const list<bool>& wanted, semantics s)
      : weights_(w),
        modules_(equalizing::modules_of(w.get())),
        equalizer_(graph(), modules_, {.semantics = s}, wanted) {}

  column_observing_model(const column_observing_model&) = delete;  // one member refers to another
  column_observing_model& operator=(const column_observing_model&) = delete;

  void operator()(input x) {
    const shape& s = schedule.inputs[0].shape;
    equalizer_({float_ops::tensor{{s.extent, s.extent + s.rank}, {x.data(), x.data() + numel(s)}}});
  }

  /// Errors  as the function below
  [[nodiscard]] result<equalized_weights<Model, Backend>> equalize() const {
    auto layers = equalizer_.calculate();
    if (!layers) return unexpected{layers.error()};
    const auto modules = ctq::equalize(graph(), modules_, *layers);
    if (!modules) return unexpected{modules.error()};
    std::vector<weight_tensor> tensors = weights_.get().tensors();
    for (weight_tensor& t : tensors) t.values = equalizing::tensor_at(*modules, t.name)->data;
    auto checked = model_weights<Model>::check(weights{std::move(tensors)});
    if (!checked) return unexpected{checked.error()};
    return equalized_weights<Model, Backend>{*std::move(checked), *std::move(layers)};
  }

 private:
  static graph_view<stage::fused> graph() { return fused_v<Model, Backend>.view(); }

  model_weights<Model> weights_;
  module_state modules_;
  equalizer equalizer_;
};

/// The model with these weights, to be called with calibration data.
template <const auto& Model, class Backend>
[[nodiscard]] column_observing_model<Model, Backend> observe_columns(
    const model_weights<Model>& w, semantics s = semantics::torch_2_1) {
  return {w, {}, s};
}

/// The same, only for the layers that have a qconfig in this mapping.
template <const auto& Model, class Backend, class Mapping>
[[nodiscard]] column_observing_model<Model, Backend> observe_columns(
    const model_weights<Model>& w, semantics s = semantics::torch_2_1) {
  return {w, nodes_to_equalize(fused_v<Model, Backend>.view(), mapping_v<Mapping>, s), s};
}

/// The weights, equalized for the observed data.
/// Errors  as equalizer; weights that become infinite
template <const auto& Model, class Backend>
[[nodiscard]] result<equalized_weights<Model, Backend>> equalize(
    const column_observing_model<Model, Backend>& observed) {
  return observed.equalize();
}

}  // namespace ctq
