// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/op_functions.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/quantize.hpp"

// Ops that are computed by their op_functions, on 8-bit integers: dequantize, apply, quantize.
// These are user ops, and built-in elementwise ops without an integer kernel.

namespace ctq::kernels::reference {

/// Elements per block of dequantized values.
inline constexpr int called_op_block = 256;

/// Elementwise op of one or two tensors: out[i] = quantize(apply(dequantize(in[i])…)).
template <quantized Q>
inline void elementwise(const op_functions& op, const attributes& options,
                        const op_arguments<Q>& x) noexcept {
  float in[2][called_op_block];
  float out[called_op_block];
  const int count = x.out.shape[0];
  for (int at = 0; at < count; at += called_op_block) {
    const int n = count - at < called_op_block ? count - at : called_op_block;
    for (int t = 0; t < op.tensors; ++t) dequantize({n}, x.in[t].data + at, x.in[t].qparams, in[t]);
    op.apply({.in = {{in[0], {n}}, {in[1], {n}}}, .out = {out, {n}}}, options);
    quantize({n}, out, x.out.qparams, x.out.data + at);
  }
}

/// The table of a unary elementwise op: out[i] is the result for the integer with the bits i, 256
/// in all.
template <quantized Q>
inline void make_table(const op_functions& op, const attributes& options, const qparams& from,
                       const qparams& to, Q* out) noexcept {
  Q all[256];
  for (int i = 0; i < 256; ++i) all[i] = static_cast<Q>(i);
  elementwise<Q>(op, options, {.in = {{all, {256}, from}}, .out = {out, {256}, to}});
}

/// Op on whole tensors.
///   floats  workspace for the elements of all tensors, inputs first
template <quantized Q>
inline void function(const op_functions& op, const attributes& options, const op_arguments<Q>& x,
                     float* floats) noexcept {
  op_arguments<float> real;
  for (int t = 0; t < op.tensors; ++t) {
    const tensor_ref<const Q>& in = x.in[t];
    const auto count = static_cast<int>(in.size());
    dequantize({count}, in.data, in.qparams, floats);
    real.in[t] = {floats, in.shape};
    floats += count;
  }
  real.out = {floats, x.out.shape};
  real.parameters = x.parameters;
  op.apply(real, options);
  quantize({static_cast<int>(x.out.size())}, floats, x.out.qparams, x.out.data);
}

}  // namespace ctq::kernels::reference
