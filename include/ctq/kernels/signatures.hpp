// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernel_signature.hpp"

// Which kernels exist, by op and element types: what a plan may ask for. Plain constants, so that
// passes can ask without seeing a kernel.

namespace ctq::kernels {

/// One byte an element, with qparams: what activations are quantized to.
[[nodiscard]] constexpr bool is_int8(dtype d) { return d == dtype::quint8 || d == dtype::qint8; }

[[nodiscard]] constexpr bool exists(const kernel_signature& s) {
  const bool same = s.in == s.out && (s.in == f32 || is_int8(s.in));
  switch (s.op) {
    case kernel::quantize: return s.in == f32 && is_int8(s.out);
    case kernel::dequantize: return is_int8(s.in) && s.out == f32;
    case kernel::requantize: return is_int8(s.in) && is_int8(s.out);
    case kernel::conv2d:
    case kernel::linear: return same || (is_int8(s.in) && is_int8(s.out));
    case kernel::batch_norm2d: return s.in == f32 && s.out == f32;
    default: return same;
  }
}

}  // namespace ctq::kernels
