// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/passes/schedule/run_memory.hpp"
#include "ctq/passes/schedule/schedule.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/pack_parameters.hpp"
#include "ctq/runtime/quantize_parameters.hpp"

// The same steps as the executor, with kernels that are looked up at run time. With
// reference_kernels it computes the bytes that compiled models are compared with.

namespace ctq {

/// Runs a graph of any stage that can be scheduled, known at run time, step by step. Owns the
/// schedule, the packed parameters and the memory of a run.
///
/// Threads  one at a time, since it has one arena
template <class Kernels>
class interpreter {
 public:
  /// `qparams` has those of each observer of the graph, by its number; `backend` and `mapping` are
  /// those that the graph was prepared with. A graph of floats needs none of the three.
  /// Errors  a graph that cannot be scheduled; as quantize_parameters and pack_parameters
  template <stage Stage>
  [[nodiscard]] static result<interpreter> make(graph_view<Stage> g, const weights& w,
                                                span<const ctq::qparams> qparams = {},
                                                const backend_view& backend = {},
                                                const mapping_view& mapping = {}) {
    dynamic_schedule s = ctq::schedule(g);
    if (s.problem.any()) return fail("", std::string{s.problem.message()});
    const auto steps = span<const step>(s.steps.data(), s.steps.size());
    const auto state = quantize_parameters(
        steps, {.graph = g, .weights = &w, .backend = backend, .mapping = mapping});
    if (!state) return unexpected{state.error()};
    auto p = pack_parameters<Kernels>(steps, g, *state, qparams);
    if (!p) return unexpected{p.error()};
    return interpreter{std::move(s), *std::move(p)};
  }

  ///   in, out              elements of the model's inputs and outputs, in order
  ///   after(step, output)  called after each step with its output
  template <class After>
  void run(span<const void* const> in, span<void* const> out, After after) {
    const run_memory memory{parameters_.constants.data(), in.data(), out.data(), arena_.data()};
    std::size_t packed = 0;
    for (std::size_t i = 0; i < schedule_.steps.size(); ++i) {
      const step& s = schedule_.steps[i];
      void* const target = memory.target(s.out);
      run_kernel<Kernels>(s.signature, {.in = {memory.source(s.in[0]), memory.source(s.in[1])},
                                        .out = target,
                                        .packed = parameters_.packed.data() + packed,
                                        .workspace = arena_.data() + schedule_.arena_bytes,
                                        .data = &parameters_.data[i]});
      packed += packing::padded(packed_bytes<Kernels>(s.signature));
      after(s, static_cast<const void*>(target));
    }
  }
  void run(span<const void* const> in, span<void* const> out) {
    run(in, out, [](const step&, const void*) {});
  }
  /// The same for a model with one input and one output.
  template <class After>
  void run(const void* in, void* out, After after) {
    run(span(&in, 1), span(&out, 1), after);
  }
  void run(const void* in, void* out) {
    run(in, out, [](const step&, const void*) {});
  }

  [[nodiscard]] const dynamic_schedule& schedule() const { return schedule_; }

 private:
  interpreter(dynamic_schedule s, parameters p)
      : schedule_(std::move(s)), parameters_(std::move(p)), arena_(arena_bytes(schedule_)) {}

  static std::size_t arena_bytes(const dynamic_schedule& s) {
    std::size_t most = 0;
    for (const step& x : s.steps) most = std::max(most, workspace_bytes<Kernels>(x.signature));
    return s.arena_bytes + most;
  }

  dynamic_schedule schedule_;
  parameters parameters_;
  aligned_buffer arena_;
};

}  // namespace ctq
