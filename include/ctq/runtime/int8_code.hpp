// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/isa.hpp"
#include "ctq/core/machine.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/executor.hpp"
#include "ctq/runtime/pack_parameters.hpp"
#include "ctq/runtime/packing/run_graph.hpp"
#include "ctq/runtime/verbose.hpp"

// The int8 code of a plan for one instruction set, without state: packs weights, and runs.

namespace ctq {

/// The functions that make and run the code; dispatch calls them, too.
template <class Plan, class Isa>
class int8_code {
  static constexpr auto& schedule = Plan::int8_schedule;
  using kernel_set = simd_kernels<Isa>;
  using code = executor<schedule, kernel_set>;

 public:
  static constexpr std::size_t arena_bytes = code::arena_bytes;

  ///   qparams  one for each observer of the plan
  /// Errors  as pack_parameters; an operating system that does not let the process use AMX tiles
  [[nodiscard]] static result<parameters> make(const state_dict& state,
                                               span<const qparams> qparams) {
    if constexpr (isa::includes<Isa, isa::amx>)
      if (!isa::ask_for_amx())
        return fail("instruction set " + std::string{Isa::name},
                    "the operating system does not let this process use AMX tiles: compile for "
                    "avx512vnni, or dispatch");
    return pack_parameters<kernel_set, code::used>(span(schedule.steps).first(schedule.count),
                                                   run_graph<Plan::lowered>, state, qparams);
  }

  ///   in, out  elements of the model's inputs and outputs, in order
  ///   arena    arena_bytes, 64-byte aligned
  static void run(const parameters& p, const void* const* in, void* const* out,
                  std::byte* arena) noexcept {
    run_code<Isa, code>(schedule.steps, run_graph<Plan::lowered>.nodes, p, in, out, arena);
  }
};

}  // namespace ctq
