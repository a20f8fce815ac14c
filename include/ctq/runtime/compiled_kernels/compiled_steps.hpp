// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/text.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/passes/schedule/run_memory.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/compiled_kernels/kernel_set.hpp"
#include "ctq/runtime/dispatch.hpp"
#include "ctq/runtime/packing/pack_steps.hpp"
#include "ctq/runtime/parameters.hpp"
#include "ctq/runtime/verbose.hpp"

// A schedule with the kernels of the library ctq-kernels: a loop over a table of steps, with one
// indirect call each. The code of each step is looked up once, when the parameters are packed.

namespace ctq::compiled_kernels {

/// The kernels of the instruction set with this name; if it is empty, with that in the environment
/// variable CTQ_ISA or, without it, the fastest.
/// Errors  as choose_code
template <int = 0>
[[nodiscard]] result<const kernel_set*> choose(std::string_view isa) {
  return choose_code(all(), requested_isa(isa, "ctq-kernels"), "ctq-kernels",
                     "the library has no code that this machine runs: build it with its option "
                     "kernels_isas=scalar, or all");
}

/// The same for models that cannot report an error: ignores a name in CTQ_ISA that the library does
/// not have, and takes the fastest.
/// Errors  no code at all
template <int = 0>
[[nodiscard]] result<const kernel_set*> choose_or_fastest() {
  const auto kernels = choose({});
  return kernels || all().empty() ? kernels : all().front();
}

/// Bytes of the largest workspace.
template <int = 0>
[[nodiscard]] std::size_t workspace_of(const kernel_set& kernels, span<const step> steps) {
  std::size_t most = 0;
  for (const step& s : steps) most = std::max(most, kernels.workspace_bytes(s.signature));
  return packing::padded(most);
}

/// Packs the parameters of a schedule, and finds the code of its steps.
/// Errors  as pack_steps; a step without a kernel
template <int = 0>
[[nodiscard, gnu::cold]] result<parameters> make(const kernel_set& kernels, span<const step> steps,
                                                 const graph_nodes& graph, const state_dict& state,
                                                 span<const qparams> qparams) {
  auto p = pack_steps(kernels.packing, steps, graph, state, qparams);
  if (!p) return p;
  p->kernels = &kernels;
  std::size_t at = 0;
  for (const step& s : steps) {
    const kernel_function code = kernels.function_of(s.signature);
    if (code == nullptr) {
      static_text<160> signature;
      ctq::kernels::append_signature(signature, s.signature.kernel, s.signature.in,
                                     s.signature.out);
      return fail("ctq-kernels", "no kernel has the signature " + std::string{signature.view()});
    }
    compiled_step found{code, s.signature, at};
    found.signature.called_op = kernels.own_op(s.signature.called_op);
    p->code.push_back(found);
    at += packing::padded(kernels.packing.packed_bytes(s.signature));
  }
  return p;
}

/// Runs the steps.
///   p            as make returns them
///   in, out      elements of the model's inputs and outputs, in order
///   arena        the intermediate values and, from offset `workspace` on, the kernels' memory;
///                64-byte aligned
///   after(step)  called after each step, with -1 before the first
template <class After>
void run(span<const step> steps, const parameters& p, const void* const* in, void* const* out,
         std::byte* arena, std::size_t workspace, After after) noexcept {
  const run_memory memory{p.constants.data(), in, out, arena};
  after(-1);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const step& s = steps[i];
    const compiled_step& code = p.code[i];
    code.run(code.signature, {.in = {memory.source(s.in[0]), memory.source(s.in[1])},
                              .out = memory.target(s.out),
                              .packed = p.packed.data() + code.packed,
                              .workspace = arena + workspace,
                              .data = &p.data[i]});
    after(static_cast<int>(i));
  }
}

/// The same, with a line for each step if CTQ_VERBOSE is set.
///   nodes  those of the graph that the schedule was made for
template <int = 0>
[[gnu::noinline]] void run(span<const step> steps, span<const node> nodes, const parameters& p,
                           const void* const* in, void* const* out, std::byte* arena,
                           std::size_t workspace) noexcept {
  if (!verbose::on()) [[likely]]
    return run(steps, p, in, out, arena, workspace, [](int) {});
  std::int64_t start = 0;
  run(steps, p, in, out, arena, workspace, [&](int i) {
    const std::int64_t end = verbose::now();
    if (i >= 0) {
      const step& s = steps[static_cast<std::size_t>(i)];
      write_step(s, nodes, p.kernels->isa, p.kernels->blocking(s.signature).view(),
                 p.kernels->packing.packed_bytes(s.signature), end - start);
    }
    start = verbose::now();
  });
}

}  // namespace ctq::compiled_kernels
