// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "ctq/runtime/bind_kernels.hpp"
#include "layer.hpp"
#include "layer_memory.hpp"

// ctq as a compiled model runs a layer: with a kernel for its extents, or with one of run-time
// extents that layers share.

namespace bench {

using kernels = ctq::simd_kernels<ctq::isa::native>;

template <ctq::kernel_signature Signature, ctq::kernel_code_kind Code>
subject ctq_layer(const layer& of) {
  using descriptor = ctq::kernels::descriptor_of<Signature.kernel>;
  constexpr auto shape = Signature.template as<typename descriptor::shape>();
  auto memory = std::make_shared<layer_memory>(of, ctq::packed_bytes<kernels>(Signature),
                                               ctq::workspace_bytes<kernels>(Signature));
  ctq::kernels::kernel_code<descriptor>::template pack<kernels, std::uint8_t>(
      shape, of.weight.data(), of.folded.data(), of.multiplier.data(), memory->packed());
  return layer_memory::subject_of("ctq", std::move(memory), [](const ctq::operands& x) {
    ctq::run_kernel<Signature, kernels, Code>(x);
  });
}

/// The function for entry `index` of a list of shapes: table[index] is compiled for that shape.
template <const auto& Entries, ctq::kernel_id Op,
          ctq::kernel_code_kind Code = ctq::kernel_code_kind::specialized>
subject ctq_layer_of(std::size_t index, const layer& of) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    using make = subject (*)(const layer&);
    constexpr make table[] = {
        ctq_layer<ctq::signature_of(Op, ctq::quint8, ctq::quint8, Entries[I].shape), Code>...};
    return table[index](of);
  }
  (std::make_index_sequence<std::size(Entries)>{});
}

}  // namespace bench
