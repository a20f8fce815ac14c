// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/text.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/passes/schedule/run_memory.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/packing/used_kernels.hpp"
#include "ctq/runtime/parameters.hpp"
#include "ctq/runtime/verbose.hpp"

// The compiled executor: the steps of a constant schedule become a sequence of calls, with every
// kernel and every offset a compile-time constant. No loop over steps, no table, no allocation.
// step::code says for each step which code run_kernel calls.

namespace ctq {

/// Runs the steps of a schedule. Without state: parameters and memory are arguments.
template <const auto& Schedule, class Kernels>
class executor {
  static constexpr auto step_count = static_cast<std::size_t>(Schedule.count);

  static constexpr std::size_t workspace = [] {
    std::size_t most = 0;
    for (std::size_t i = 0; i < step_count; ++i) {
      const std::size_t bytes = ctq::workspace_bytes<Kernels>(Schedule.steps[i].signature);
      most = bytes > most ? bytes : most;
    }
    return most;
  }();

  static constexpr std::array<std::size_t, step_count + 1> packed_offset = [] {
    std::array<std::size_t, step_count + 1> at{};
    for (std::size_t i = 0; i < step_count; ++i)
      at[i + 1] = at[i] + packing::padded(packed_bytes<Kernels>(Schedule.steps[i].signature));
    return at;
  }();

 public:
  static constexpr used_kernels used = used_kernels_of(span(Schedule.steps).first(Schedule.count));

  /// Bytes of the intermediate values and of the kernels' workspace.
  static constexpr std::size_t arena_bytes = Schedule.arena_bytes + packing::padded(workspace);
  static constexpr std::size_t packed_size = packed_offset[step_count];

  /// Bytes that kernels need besides the arena.
  [[nodiscard]] static std::size_t workspace_bytes(const parameters&) { return 0; }

  ///   in, out      elements of the model's inputs and outputs, in order
  ///   arena        arena_bytes, 64-byte aligned
  ///   after(step)  called after each step, with -1 before the first
  template <class After>
  static void run(const parameters& p, const void* const* in, void* const* out, std::byte* arena,
                  After after) noexcept {
    after(std::integral_constant<int, -1>{});
    run_all(std::make_index_sequence<step_count>{}, p, in, out, arena, after);
  }

  static void run(const parameters& p, const void* const* in, void* const* out,
                  std::byte* arena) noexcept {
    run(p, in, out, arena, [](auto) {});
  }

 private:
  template <std::size_t... I, class After>
  [[gnu::always_inline]] static void run_all(std::index_sequence<I...>, const parameters& p,
                                             const void* const* in, void* const* out,
                                             std::byte* arena, After& after) noexcept {
    using in_order = int[];  // a fold would stop at 256 steps on clang
    (void)in_order{0, (run_step<I>(p, in, out, arena),
                       after(std::integral_constant<int, static_cast<int>(I)>{}), 0)...};
  }

  template <std::size_t I>
  [[gnu::always_inline]] static void run_step(const parameters& p, const void* const* in,
                                              void* const* out, std::byte* arena) noexcept {
    constexpr auto& s = Schedule.steps[I];
    const run_memory memory{p.constants.data(), in, out, arena};
    run_kernel<s.signature, Kernels, s.code>(
        {.in = {memory.source(s.in[0]), memory.source(s.in[1])},
         .out = memory.target(s.out),
         .packed = p.packed.data() + packed_offset[I],
         .workspace = arena + Schedule.arena_bytes,
         .data = &p.data[I]});
  }
};

template <class Isa, class Code>
[[gnu::cold, gnu::noinline]] void run_traced(span<const step> steps, span<const node> nodes,
                                             const parameters& p, const void* const* in,
                                             void* const* out, std::byte* arena) noexcept {
  using kernel_set = simd_kernels<Isa>;
  std::int64_t start = 0;
  Code::run(p, in, out, arena, [&](int i) {
    const std::int64_t end = verbose::now();
    if (i >= 0) {
      const step& s = steps[static_cast<std::size_t>(i)];
      static_text<96> blocking;
      append_blocking<kernel_set, Code::used>(blocking, s.signature);
      write_step<Code::used>(s, nodes, Isa::name, blocking.view(),
                             packed_bytes<kernel_set, Code::used>(s.signature), end - start);
    }
    start = verbose::now();
  });
}

/// Code::run, with a line for each step if CTQ_VERBOSE is set.
///   Code   the executor of a schedule
///   steps  those of that schedule
///   nodes  those of the graph that it was made for
template <class Isa, class Code>
[[gnu::always_inline]] inline void run_code(span<const step> steps, span<const node> nodes,
                                            const parameters& p, const void* const* in,
                                            void* const* out, std::byte* arena) noexcept {
  if (verbose::on()) return run_traced<Isa, Code>(steps, nodes, p, in, out, arena);
  Code::run(p, in, out, arena);
}

}  // namespace ctq
