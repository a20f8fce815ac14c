// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ctq/core/isa.hpp"
#include "ctq/core/machine.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/executor.hpp"
#include "ctq/runtime/pack_parameters.hpp"
#include "ctq/runtime/run_traced.hpp"
#include "ctq/runtime/verbose.hpp"

// The int8 code of a plan for one instruction set, without any state: how its weights are packed,
// and how it runs.

namespace ctq {

template <class Plan, class Isa>
class int8_code {
  static constexpr auto& schedule = Plan::int8_schedule;
  using kernel_set = simd_kernels<Isa>;
  using code = executor<schedule, kernel_set>;

 public:
  static constexpr std::size_t arena_bytes = code::arena_bytes;

  /// qparams: one an observer of the plan.
  /// Errors  as pack_parameters; an operating system that does not let the process use tiles
  [[nodiscard]] static result<parameters> make(const state_dict& state,
                                               std::span<const qparams> qparams) {
    if constexpr (isa::includes<Isa, isa::amx>)
      if (!isa::ask_for_amx())
        return fail("instruction set " + std::string{Isa::name},
                    "the operating system does not let this process use the tiles: compile for "
                    "avx512vnni, or dispatch");
    return pack_parameters<kernel_set>(std::span(schedule.steps).first(schedule.count),
                                       std::span(Plan::lowered.nodes), state, qparams);
  }

  /// in, out: elements of the model's doors · arena: arena_bytes, 64-byte aligned
  static void run(const parameters& p, const void* in, void* out, std::byte* arena) noexcept {
    if (verbose::on())
      return run_traced<Isa, code>(schedule.steps, Plan::lowered.nodes, p, in, out, arena);
    code::run(p, in, out, arena);
  }
};

}  // namespace ctq
