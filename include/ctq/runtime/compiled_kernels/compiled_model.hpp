// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/isa.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/compiled_kernels/compiled_steps.hpp"
#include "ctq/runtime/int8_model.hpp"
#include "ctq/runtime/packing/run_graph.hpp"

namespace ctq {

template <class Plan, class Isa>
class quantized_model;

/// The int8 model of a plan with the kernels of the library ctq-kernels: its instruction set is
/// chosen when it is made. Computes the same bytes as with the kernels of the headers. The program
/// contains no code of kernels, only the functions of user ops, compiled with its own flags.
///
/// Threads, Lifetime  as int8_model
template <class Plan>
class quantized_model<Plan, isa::compiled>
    : public int8_model<quantized_model<Plan, isa::compiled>, Plan> {
  using base = int8_model<quantized_model, Plan>;

 public:
  ///   isa   name of the instruction set to run on; empty: the one in the environment variable
  ///         CTQ_ISA or, without it, the fastest
  ///   keep  for save: the model shares the elements of `state`
  /// Errors  an instruction set that the library does not have or this machine does not run;
  ///         tensors that are missing, or of another dtype or shape; qparams that are missing or
  ///         outside their dtype's range; a sum that could leave int32
  [[nodiscard]] static result<quantized_model> make(quantized_state state,
                                                    std::string_view isa = {}, bool keep = true) {
    const auto kernels = compiled_kernels::choose(isa);
    if (!kernels) return unexpected{kernels.error()};
    auto p = compiled_kernels::make(**kernels, steps(), run_graph<Plan::lowered>, state.tensors,
                                    state.qparams);
    if (!p) return unexpected{p.error()};
    return quantized_model{*std::move(p), std::move(state), keep};
  }

  /// The same as run, with pointers to the elements of all inputs and outputs, in order.
  void run_tensors(const void* const* in, void* const* out, std::byte* memory) const noexcept {
    compiled_kernels::run(steps(), run_graph<Plan::lowered>.nodes, this->values(), in, out, memory,
                          Plan::int8_schedule.arena_bytes);
  }

  [[nodiscard]] std::string_view isa() const { return this->values().kernels->isa; }
  [[nodiscard]] std::size_t arena_bytes() const {
    return Plan::int8_schedule.arena_bytes +
           compiled_kernels::workspace_of(*this->values().kernels, steps());
  }

 private:
  static constexpr span<const step> steps() {
    return {Plan::int8_schedule.steps, static_cast<std::size_t>(Plan::int8_schedule.count)};
  }

  using base::base;
};

}  // namespace ctq
