// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/kernels/reference/user_op.hpp"
#include "ctq/kernels/simd/arch/tables/table_lookup.hpp"
#include "ctq/kernels/simd/arch/tables/table_shuffle.hpp"
#include "ctq/kernels/simd/elementwise/dequantize.hpp"
#include "ctq/kernels/simd/elementwise/quantize.hpp"

namespace ctq::kernels::simd {

/// Fewer elements are looked up one by one where the table has to be rearranged.
inline constexpr int fewest_shuffled = 512;

/// out[i] = table[in[i]], with a table from reference::make_table. out may be in.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void look_up(elementwise_shape shape, const Q* in, const Q* table,
                                           Q* out) noexcept {
  int i = 0;
  const auto whole_registers = [&]<class Bytes>(const auto& entries, std::type_identity<Bytes>)
      __attribute__((always_inline)) {
    using element = typename Bytes::value_type;
    constexpr int lanes = static_cast<int>(Bytes::size);
    for (; i + lanes <= shape.count; i += lanes)
      entries[Bytes::load_unaligned(reinterpret_cast<const element*>(in + i))].store_unaligned(
          reinterpret_cast<element*>(out + i));
  };
  if constexpr (has_wide_lookup<Isa>) {
    whole_registers(lookup_registers<Isa, Q>(table), std::type_identity<batch<Isa, Q>>{});
  } else if constexpr (shuffles_bytes<Isa>) {
    if (shape.count >= fewest_shuffled)
      whole_registers(shuffled_table<Isa>(table), std::type_identity<batch<Isa, std::int8_t>>{});
  }
  for (; i < shape.count; ++i) out[i] = table[static_cast<std::uint8_t>(in[i])];
}

/// As reference::elementwise, byte for byte.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void elementwise(const op_functions& op, const attributes& options,
                                               const op_arguments<Q>& x) noexcept {
  alignas(64) float in[2][reference::user_op_block];
  alignas(64) float out[reference::user_op_block];
  const int count = x.out.shape[0];
  for (int at = 0; at < count; at += reference::user_op_block) {
    const int n = count - at < reference::user_op_block ? count - at : reference::user_op_block;
    for (int t = 0; t < op.tensors; ++t)
      dequantize<Isa>({n}, x.in[t].data + at, x.in[t].qparams, in[t]);
    op.apply({.in = {{in[0], {n}}, {in[1], {n}}}, .out = {out, {n}}}, options);
    quantize<Isa>({n}, out, x.out.qparams, x.out.data + at);
  }
}

}  // namespace ctq::kernels::simd
