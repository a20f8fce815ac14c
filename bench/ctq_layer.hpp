// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "ctq/passes/schedule/memory.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "layer.hpp"

// ctq as a compiled model runs a layer: with a kernel for its extents, or with one of run-time
// extents that layers share.

namespace bench {

using kernels = ctq::simd_kernels<ctq::isa::native>;

template <ctq::kernel_signature Key, ctq::code_for Code>
subject ctq_layer(const layer& of) {
  using descriptor = ctq::kernels::descriptor_of<Key.kernel>;
  constexpr auto shape = Key.template as<typename descriptor::shape>();
  struct state {
    ctq::aligned_buffer memory, workspace;
    ctq::step_data data;
    ctq::operands x;
  };
  // Contiguous, each aligned to a cache line.
  const std::size_t in = ctq::align_up(ctq::packed_bytes<kernels>(Key));
  const std::size_t out = in + ctq::align_up(of.in.size());
  auto s = std::make_shared<state>(state{ctq::aligned_buffer{out + of.outputs()},
                                         ctq::aligned_buffer{ctq::workspace_bytes<kernels>(Key)},
                                         {},
                                         {}});
  std::byte* const memory = s->memory.data();
  std::memcpy(memory + in, of.in.data(), of.in.size());
  ctq::kernels::kernel_code<descriptor>::template pack<kernels, std::uint8_t>(
      shape, of.weight.data(), of.folded.data(), of.multiplier.data(), memory);
  s->data.in[0].zero_point = layer::zero_point_in;
  s->data.steps = {.zero_point = layer::zero_point_out, .lo = 0, .hi = 255};
  s->x = {.in = {memory + in},
          .out = memory + out,
          .packed = memory,
          .workspace = s->workspace.data(),
          .data = &s->data};
  return {"ctq",
          [s] { ctq::run_kernel<Key, kernels, Code>(s->x); },
          [s] { return s->x.out; },
          {memory, s->memory.size()}};
}

/// The function for entry `index` of a list of shapes: table[index] is compiled for that shape.
template <const auto& Entries, ctq::kernel_id Op, ctq::code_for Code = ctq::code_for::extents>
subject ctq_layer_of(std::size_t index, const layer& of) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    using make = subject (*)(const layer&);
    constexpr make table[] = {
        ctq_layer<ctq::signature(Op, ctq::quint8, ctq::quint8, Entries[I].shape), Code>...};
    return table[index](of);
  }
  (std::make_index_sequence<std::size(Entries)>{});
}

}  // namespace bench
