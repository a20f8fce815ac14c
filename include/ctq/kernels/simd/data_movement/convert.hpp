// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/data_movement/convert.hpp"

namespace ctq::kernels::simd {

/// As reference::convert, whose loops compilers vectorize; indices are few.
template <class Isa, class In, class Out>
inline void convert(elementwise_shape s, const In* in, Out* out) noexcept {
  reference::convert(s, in, out);
}

}  // namespace ctq::kernels::simd
