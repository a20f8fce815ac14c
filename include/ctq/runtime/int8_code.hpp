// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ctq/core/text.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/executor.hpp"
#include "ctq/runtime/parameters.hpp"
#include "ctq/runtime/simd_kernels.hpp"
#include "ctq/runtime/step_text.hpp"
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
  /// Errors  as make_parameters
  [[nodiscard]] static result<parameters> make(const weights& w, std::span<const qparams> qparams,
                                               semantics s) {
    return make_parameters<kernel_set>(std::span(schedule.steps).first(schedule.count),
                                       {.nodes = std::span(Plan::lowered.nodes),
                                        .weights = &w,
                                        .qparams = qparams,
                                        .backend = Plan::backend,
                                        .mapping = Plan::mapping,
                                        .semantics = s});
  }

  /// in, out: elements of the model's doors · arena: arena_bytes, 64-byte aligned
  static void run(const parameters& p, const void* in, void* out, std::byte* arena) noexcept {
    if (verbose::on()) return run_traced(p, in, out, arena);
    code::run(p, in, out, arena);
  }

 private:
  /// Writes a line a step:
  ///   ctq_verbose,run,avx512vnni,conv1,conv2d,quint8:quint8,<shape>,<blocking>,<bytes>,<µs>
  [[gnu::cold, gnu::noinline]] static void run_traced(const parameters& p, const void* in,
                                                      void* out, std::byte* arena) noexcept {
    std::int64_t start = 0;
    code::run(p, in, out, arena, [&start](int step) {
      if (step >= 0) write_line(step, verbose::now() - start);
      start = verbose::now();
    });
  }

  [[gnu::noinline]] static void write_line(int index, std::int64_t nanoseconds) noexcept {
    const step& s = schedule.steps[static_cast<std::size_t>(index)];
    static_text<512> line;  // no allocation
    append_all(line, "ctq_verbose,run,", Isa::name, ",");
    if (s.node >= 0) append_name(line, Plan::lowered.nodes[static_cast<std::size_t>(s.node)]);
    line.append(",");
    append_kernel<kernel_set>(line, s.key);
    append_all(line, ",", nanoseconds / 1000, ".", nanoseconds / 100 % 10);
    line.count -= line.count == sizeof line.chars ? 1 : 0;
    verbose::write(line.append("\n").view());
  }
};

}  // namespace ctq
