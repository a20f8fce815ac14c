// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "ctq/passes/plan.hpp"
#include "ctq/runtime/int8_code.hpp"
#include "ctq/runtime/model_state.hpp"
#include "ctq/runtime/session.hpp"
#include "ctq/runtime/tensor.hpp"

// The int8 model: straight-line code over packed weights and one arena.

namespace ctq {

/// An int8 model, compiled for one instruction set. It takes and gives real numbers: quantize and
/// dequantize are part of it.
///
/// Threads   nothing changes it: any number may run one model, each with its own arena or session
/// Lifetime  owns all it needs. Copies share the packed weights; to move is to copy, so that none
///           is ever empty
template <class Plan, class Isa = isa::native>
class quantized_model {
  static constexpr auto& schedule = Plan::int8_schedule;
  using code = int8_code<Plan, Isa>;
  using io = io_types<schedule>;

 public:
  using plan = Plan;
  using isa = Isa;
  using input = typename io::input;
  using output = typename io::output;
  using input_view = typename io::input_view;
  using input_argument = typename io::input_argument;
  using output_view = typename io::output_view;
  static constexpr std::size_t arena_bytes = code::arena_bytes;
  using arena = ctq::arena<arena_bytes>;

  /// Packs the parameters for the instruction set.
  ///   keep  for save: the model shares the elements of `state`
  /// Errors  tensors that are missing, or of another dtype or shape; qparams that are missing or
  ///         outside their dtype's range; a sum that could leave int32; an operating system that
  ///         refuses the instruction set
  [[nodiscard]] static result<quantized_model> make(quantized_state state, bool keep = true) {
    auto p = code::make(state.tensors, state.qparams);
    if (!p) return unexpected{p.error()};
    if (!keep) state = {{}, std::move(state.qparams), state.semantics, false};
    return quantized_model{*std::move(p), std::move(state)};
  }

  quantized_model(const quantized_model&) = default;
  quantized_model& operator=(const quantized_model&) = default;

  /// One inference, for a first look: it allocates an arena. A session keeps its own.
  output operator()(const input_argument& in) const { return session{*this}(in); }
  void operator()(const input_argument& in, output_view out) const { session{*this}(in, out); }

  /// One inference in memory of the caller's: no allocation, no error.
  ///   out     must not overlap with the input
  ///   memory  of one run at a time; a pointer to arena_bytes, 64-byte aligned
  void run(const input_argument& in, output_view out, arena& memory) const noexcept {
    run(in, out, memory.data());
  }
  void run(const input_argument& in, output_view out, std::byte* memory) const noexcept {
    code::run(state_->values, in.data(), out.data(), memory);
  }

  /// Scale and zero point of each observer of the plan.
  [[nodiscard]] std::span<const ctq::qparams> qparams() const& { return state_->source.qparams; }
  std::span<const ctq::qparams> qparams() const&& = delete;
  /// What the model was made from; no tensors if it was loaded.
  [[nodiscard]] const quantized_state& state() const& { return state_->source; }
  const quantized_state& state() const&& = delete;
  /// Writes the model to a safetensors file that load_quantized reads, on any machine.
  /// Errors  as write_safetensors; a model that was loaded
  template <class Path>
  [[nodiscard]] status save(const Path& path) const {
    return save_quantized<Plan>(state_->source, path);  // of ctq/io/save_quantized.hpp
  }
  /// Weights, biases and multipliers as the kernels read them.
  [[nodiscard]] std::size_t weight_bytes() const { return state_->values.packed.size(); }

 private:
  quantized_model(parameters p, quantized_state s)
      : state_(std::make_shared<const model_state>(std::move(p), std::move(s))) {}

  std::shared_ptr<const model_state> state_;
};

}  // namespace ctq
