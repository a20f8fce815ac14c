// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/terminate.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/compiled_kernels/compiled_executor.hpp"
#include "ctq/runtime/executor.hpp"
#include "ctq/runtime/model_calls.hpp"
#include "ctq/runtime/quantize_parameters.hpp"
#include "ctq/runtime/tensor.hpp"
#include "ctq/runtime/verbose.hpp"
#include "ctq/runtime/weights.hpp"

// The model in float, with the fusions of a backend: the reference for quantized models.

namespace ctq {

/// The float model, fused as Backend fuses, with the kernels of one instruction set.
///
/// Its kernels have run-time extents and are shared by the layers: it compiles faster than an int8
/// model, and runs some 5 % slower than kernels compiled for each shape. NaN and infinity propagate
/// as in PyTorch. A run allocates nothing.
///
/// Threads   one at a time, since it has one arena; a copy for each thread
/// Lifetime  owns all it needs, weights included
/// Requires  not moved from; checked
/// Errors    at compile time; with isa::compiled the constructor aborts the program if ctq-kernels
///           has no code that this machine runs
template <const auto& Model, class Backend, class Isa = isa::of_models>
class float_model
    : report<float_check<Model, Backend>>,
      public model_calls<float_model<Model, Backend, Isa>, true,
                         typename io_types<fused_schedule_v<Model, Backend>>::inputs,
                         typename io_types<fused_schedule_v<Model, Backend>>::outputs> {
  static constexpr auto& traced = Model;
  static constexpr auto& schedule = fused_schedule_v<Model, Backend>;
  using code = executor<schedule, simd_kernels<Isa>>;

 public:
  static constexpr std::size_t arena_bytes = code::arena_bytes;

  explicit float_model(const model_weights<Model>& w)
      : parameters_(*float_parameters<simd_kernels<Isa>>(span(schedule.steps).first(schedule.count),
                                                         fused_v<Model, Backend>, w.get())),
        arena_(arena_bytes + code::workspace_bytes(parameters_)) {}

 private:
  template <class, bool, class, class>
  friend class model_calls;

  void run_tensors(const void* const* in, void* const* out) noexcept {
    require(arena_.data() != nullptr, "this float_model was moved from");
    run_code<Isa, code>(schedule.steps, fused_v<Model, Backend>.nodes, parameters_, in, out,
                        arena_.data());
  }

  parameters parameters_;
  aligned_buffer arena_;
};

}  // namespace ctq
