// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/isa.hpp"
#include "ctq/core/result.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/kernels/kernel_code.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/compiled_kernels/compiled_steps.hpp"
#include "ctq/runtime/parameters.hpp"
#include "ctq/runtime/state_dict.hpp"

// The executor of float and observed models with the kernels of the library ctq-kernels.

namespace ctq {

template <const auto& Schedule, class Kernels>
class executor;

/// As the executor with the kernels of the headers.
template <const auto& Schedule>
class executor<Schedule, simd_kernels<isa::compiled>> {
 public:
  /// Bytes of the intermediate values alone.
  static constexpr std::size_t arena_bytes = Schedule.arena_bytes;

  /// Bytes that kernels need after the intermediate values.
  [[nodiscard]] static std::size_t workspace_bytes(const parameters& p) {
    return compiled_kernels::workspace_of(*p.kernels, steps());
  }

  ///   p            as compiled_kernels::make returns them
  ///   arena        arena_bytes + workspace_bytes, 64-byte aligned
  ///   after(step)  called after each step, with -1 before the first
  template <class After>
  static void run(const parameters& p, const void* const* in, void* const* out, std::byte* arena,
                  After after) noexcept {
    compiled_kernels::run(steps(), p, in, out, arena, arena_bytes, after);
  }

  static constexpr span<const step> steps() {
    return {Schedule.steps, static_cast<std::size_t>(Schedule.count)};
  }
};

/// executor::run, with a line for each step if CTQ_VERBOSE is set.
template <class Isa, class Code>
requires std::same_as<Isa, isa::compiled>
void run_code(span<const step>, span<const node> nodes, const parameters& p, const void* const* in,
              void* const* out, std::byte* arena) noexcept {
  compiled_kernels::run(Code::steps(), nodes, p, in, out, arena, Code::arena_bytes);
}

}  // namespace ctq
