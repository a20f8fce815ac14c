// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ctq/core/text.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/parameters.hpp"
#include "ctq/runtime/step_text.hpp"
#include "ctq/runtime/verbose.hpp"

// What a model does if CTQ_VERBOSE asks: a line for each step of each run.
//   ctq_verbose,run,avx512vnni,conv1,conv2d,quint8:quint8,<shape>,<blocking>,<bytes>,<µs>

namespace ctq {

template <class Isa>
[[gnu::cold, gnu::noinline]] void write_step(const step& s, std::span<const node> nodes,
                                             std::int64_t nanoseconds) noexcept {
  static_text<512> line;  // no allocation
  append_all(line, "ctq_verbose,run,", Isa::name, ",");
  if (s.node >= 0) append_name(line, nodes[static_cast<std::size_t>(s.node)]);
  line.append(",");
  append_kernel<simd_kernels<Isa>>(line, s.key);
  append_all(line, ",", nanoseconds / 1000, ".", nanoseconds / 100 % 10);
  line.count -= line.count == sizeof line.chars ? 1 : 0;
  verbose::write(line.append("\n").view());
}

/// Code::run with its lines.
///   Code   the executor of a schedule
///   steps  of that schedule · nodes: of the graph it was made for
template <class Isa, class Code>
[[gnu::cold, gnu::noinline]] void run_traced(std::span<const step> steps,
                                             std::span<const node> nodes, const parameters& p,
                                             const void* in, void* out, std::byte* arena) noexcept {
  std::int64_t start = 0;
  Code::run(p, in, out, arena, [&](int i) {
    if (i >= 0) write_step<Isa>(steps[static_cast<std::size_t>(i)], nodes, verbose::now() - start);
    start = verbose::now();
  });
}

}  // namespace ctq
