// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "ctq/passes/plan.hpp"
#include "ctq/runtime/executor.hpp"
#include "ctq/runtime/simd_kernels.hpp"
#include "ctq/runtime/tensor.hpp"
#include "ctq/runtime/weights.hpp"

// The model in float, with the fusions of a backend: what quantization is compared with.

namespace ctq {

template <const auto& Model, class Backend, class Isa = isa::native>
class float_model : report<float_check<Model, Backend>> {
  static constexpr auto& schedule = fused_schedule_v<Model, Backend>;
  using code = executor<schedule, simd_kernels<Isa>>;

 public:
  using input = typename io_types<schedule>::input_view;
  using output = typename io_types<schedule>::output_view;
  static constexpr std::size_t arena_bytes = code::arena_bytes;

  explicit float_model(const model_weights<Model>& w)
      : parameters_(
            *make_parameters<simd_kernels<Isa>>(std::span(schedule.steps).first(schedule.count),
                                                {.nodes = std::span(fused_v<Model, Backend>.nodes),
                                                 .weights = &w.get(),
                                                 .qparams = {},
                                                 .backend = {},
                                                 .mapping = {}})),
        arena_(arena_bytes) {}

  void operator()(input in, output out) noexcept {
    code::run(parameters_, in.data(), out.data(), arena_.data());
  }

 private:
  parameters parameters_;
  aligned_buffer arena_;
};

}  // namespace ctq
