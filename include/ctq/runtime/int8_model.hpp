// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/result.hpp"
#include "ctq/runtime/model_calls.hpp"
#include "ctq/runtime/parameters.hpp"
#include "ctq/runtime/session.hpp"
#include "ctq/runtime/state_dict.hpp"
#include "ctq/runtime/tensor.hpp"

namespace ctq {

/// The base of int8 models: what does not depend on their code.
///
/// Threads   const: any number of threads may run one model, each with its own arena or session
/// Lifetime  owns all it needs. Copies share the packed weights; a move is a copy, so no model is
///           ever empty
template <class Model, class Plan>
class int8_model : public shared_model_calls<Model, typename io_types<Plan::int8_schedule>::inputs,
                                             typename io_types<Plan::int8_schedule>::outputs> {
 public:
  using plan = Plan;
  static constexpr auto& traced = Plan::traced;
  static constexpr auto& schedule = Plan::int8_schedule;

  int8_model(const int8_model&) = default;
  int8_model& operator=(const int8_model&) = default;

  /// Scale and zero point of each observer of the plan.
  [[nodiscard]] span<const ctq::qparams> qparams() const& { return state_->source.qparams; }
  span<const ctq::qparams> qparams() const&& = delete;
  /// The qparams of input i if it is integers; default values if it is float.
  /// Requires  0 <= i < number of inputs
  [[nodiscard]] ctq::qparams input_qparams(int i = 0) const {
    return qparams_of(Plan::int8_schedule.inputs[i]);
  }
  /// The same of output i.
  /// Requires  0 <= i < number of outputs
  [[nodiscard]] ctq::qparams output_qparams(int i = 0) const {
    return qparams_of(Plan::int8_schedule.outputs[i]);
  }
  /// What the model was made from; without tensors if it was loaded.
  [[nodiscard]] const quantized_state& state() const& { return state_->source; }
  const quantized_state& state() const&& = delete;
  /// Writes the model to a safetensors file that load_quantized reads, on any machine.
  /// Errors  as write_safetensors; a model that was loaded
  template <class Path>
  [[nodiscard]] status save(const Path& path) const {
    return save_quantized<Plan>(state_->source, path);  // of ctq/io/save_quantized.hpp
  }
  /// Bytes of weights, biases and multipliers as the kernels read them.
  [[nodiscard]] std::size_t weight_bytes() const { return state_->values.packed.size(); }

 protected:
  ///   keep  for save
  int8_model(parameters p, quantized_state s, bool keep) {
    if (!keep) s = {{}, std::move(s.qparams), s.semantics, false};
    state_ = std::make_shared<const model_state>(std::move(p), std::move(s));
  }

  [[nodiscard]] const parameters& values() const { return state_->values; }

 private:
  [[nodiscard]] ctq::qparams qparams_of(const model_tensor& t) const {
    return is_quantized(t.dtype) ? qparams()[static_cast<std::size_t>(t.observer)] : ctq::qparams{};
  }

  struct model_state {
    parameters values;
    quantized_state source;
  };

  std::shared_ptr<const model_state> state_;
};

}  // namespace ctq
