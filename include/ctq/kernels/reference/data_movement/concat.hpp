// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/layout_shapes.hpp"

namespace ctq::kernels::reference {

/// Copies one input of a concatenation to its columns of the output.
///
/// Shapes    in [rows, in_width] · out [rows, out_width], columns offset … offset + in_width - 1
template <class T>
inline void concat(concat_shape shape, const T* in, T* out) noexcept {
  for (std::ptrdiff_t row = 0; row < shape.rows; ++row) {
    for (int i = 0; i < shape.in_width; ++i) {
      out[row * shape.out_width + shape.offset + i] = in[row * shape.in_width + i];
    }
  }
}

}  // namespace ctq::kernels::reference
