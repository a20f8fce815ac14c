// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernel_signature.hpp"

// Which kernels exist, by op and element types: what a plan may ask for. Plain constants, so that
// passes can ask without seeing a kernel.

namespace ctq::kernels {

/// One byte an element, with qparams: what activations are quantized to.
[[nodiscard]] constexpr bool is_int8(dtype d) { return d == dtype::quint8 || d == dtype::qint8; }

[[nodiscard]] constexpr bool exists(kernel op, dtype in, dtype out) {
  const bool same = in == out && (in == f32 || is_int8(in));
  switch (op) {
    case kernel::quantize: return in == f32 && is_int8(out);
    case kernel::dequantize: return is_int8(in) && out == f32;
    case kernel::requantize: return is_int8(in) && is_int8(out);
    case kernel::conv2d:
    case kernel::linear: return same || (is_int8(in) && is_int8(out));
    case kernel::batch_norm2d: return in == f32 && out == f32;
    default: return same;
  }
}
[[nodiscard]] constexpr bool exists(const kernel_signature& s) {
  return exists(s.op, s.in, s.out);
}

}  // namespace ctq::kernels
