// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/called_op.hpp"
#include "ctq/kernels/simd/arch/tables/table_lookup.hpp"
#include "ctq/kernels/simd/arch/tables/table_shuffle.hpp"
#include "ctq/kernels/simd/elementwise/dequantize.hpp"
#include "ctq/kernels/simd/elementwise/quantize.hpp"
#include "ctq/kernels/simd/elementwise_loop.hpp"

// Ops that are computed by their op_functions, on 8-bit integers: by a lookup table, or by blocks
// of dequantized values. The same bytes as reference/called_op.hpp.

namespace ctq::kernels::simd {

/// For fewer elements, a shuffled_table takes longer to build than it saves (AVX2, Zen 3).
inline constexpr int fewest_shuffled = 512;

/// Looks up whole registers of elements; returns how many that were.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline int look_up_registers(elementwise_shape shape, const Q* in,
                                                    const auto& entries, Q* out) noexcept {
  using lanes = batch<Isa, Q>;
  constexpr int n = static_cast<int>(lanes::size);
  const int last = shape.count / n * n;
  for_strided<n>(
      0, last, aliasing_4k(out, in) > 0, [&](int i) __attribute__((always_inline)) {
        entries[lanes::load_unaligned(in + i)].store_unaligned(out + i);
      });
  return last;
}

/// out[i] = table[in[i]], with a table from reference::make_table. out may be in.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void look_up(elementwise_shape shape, const Q* in, const Q* table,
                                           Q* out) noexcept {
  int i = 0;
  if constexpr (has_wide_lookup<Isa>) {
    i = look_up_registers<Isa>(shape, in, lookup_registers<Isa, Q>(table), out);
  } else if constexpr (shuffles_bytes<Isa>) {
    if (shape.count >= fewest_shuffled)
      i = look_up_registers<Isa>(shape, in, shuffled_table<Isa, Q>(table), out);
  }
  for (; i < shape.count; ++i) out[i] = table[static_cast<std::uint8_t>(in[i])];
}

/// As reference::elementwise, byte for byte.
template <class Isa, quantized Q>
[[gnu::always_inline]] inline void elementwise(const op_functions& op, const attributes& options,
                                               const op_arguments<Q>& x) noexcept {
  alignas(64) float in[2][reference::called_op_block];
  alignas(64) float out[reference::called_op_block];
  const int count = x.out.shape[0];
  for (int at = 0; at < count; at += reference::called_op_block) {
    const int n = count - at < reference::called_op_block ? count - at : reference::called_op_block;
    for (int t = 0; t < op.tensors; ++t)
      dequantize<Isa>({n}, x.in[t].data + at, x.in[t].qparams, in[t]);
    op.apply({.in = {{in[0], {n}}, {in[1], {n}}}, .out = {out, {n}}}, options);
    quantize<Isa>({n}, out, x.out.qparams, x.out.data + at);
  }
}

}  // namespace ctq::kernels::simd
