// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>

#include "ctq/core/terminate.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/compiled_kernels/compiled_executor.hpp"
#include "ctq/runtime/executor.hpp"
#include "ctq/runtime/quantize_parameters.hpp"
#include "ctq/runtime/tensor.hpp"
#include "ctq/runtime/verbose.hpp"
#include "ctq/runtime/weights.hpp"

// The model in float, with the fusions of a backend: what quantization is compared with.

namespace ctq {

/// The float model, fused as Backend fuses, with the kernels of one instruction set.
///
/// Its kernels have run-time extents and are shared by the layers: it compiles faster than an int8
/// model, and runs some 5 % slower than kernels compiled for each shape.
///
/// Threads   one at a time, since it has one arena; a copy for each thread
/// Lifetime  owns all it needs, weights included
/// Requires  not moved from; checked
/// Errors    at compile time alone
template <const auto& Model, class Backend, class Isa = isa::of_models>
class float_model : report<float_check<Model, Backend>> {
  static constexpr auto& schedule = fused_schedule_v<Model, Backend>;
  using code = executor<schedule, simd_kernels<Isa>>;
  using io = io_types<schedule>;

 public:
  using input = typename io::input;
  using output = typename io::output;
  using input_view = typename io::input_view;
  using input_argument = typename io::input_argument;
  using output_view = typename io::output_view;
  static constexpr std::size_t arena_bytes = code::arena_bytes;

  explicit float_model(const model_weights<Model>& w)
      : parameters_(*float_parameters<simd_kernels<Isa>>(
            std::span(schedule.steps).first(schedule.count),
            std::span(fused_v<Model, Backend>.nodes), w.get())),
        arena_(arena_bytes + code::workspace_bytes(parameters_)) {}

  /// One inference. Input and output are contiguous float32, in the shapes of the model's
  /// placeholder and output node (images: N, C, H, W). NaN and infinity propagate as in PyTorch.
  /// Allocates nothing.
  output operator()(const input_argument& in) noexcept {
    output out;
    (*this)(in, out);
    return out;
  }
  /// The same, into an existing tensor, which must not overlap with the input.
  void operator()(const input_argument& in, output_view out) noexcept {
    require(arena_.data() != nullptr, "this float_model was moved from");
    run_code<Isa, code>(schedule.steps, fused_v<Model, Backend>.nodes, parameters_, in.data(),
                        out.data(), arena_.data());
  }

 private:
  parameters parameters_;
  aligned_buffer arena_;
};

}  // namespace ctq
