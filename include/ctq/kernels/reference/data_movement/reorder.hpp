// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/layout_shapes.hpp"

namespace ctq::kernels::reference {

/// Copies elements to another order:
///   out[i, j, …] = in[offset + i * stride[0] + j * stride[1] + …], contiguous in the order of the
///   axes
/// Always inlined, since simd/ calls it from code for different instruction sets.
template <class T>
[[gnu::always_inline]] inline void reorder(const reorder_shape& s, const T* in, T* out) noexcept {
  static_assert(reorder_shape::axes == 6);
  const auto at = [&s](int axis, int i) { return static_cast<std::ptrdiff_t>(s.stride[axis]) * i; };
  in += s.offset;
  for (int i = 0; i < s.extent[0]; ++i)
    for (int j = 0; j < s.extent[1]; ++j)
      for (int k = 0; k < s.extent[2]; ++k)
        for (int l = 0; l < s.extent[3]; ++l)
          for (int m = 0; m < s.extent[4]; ++m) {
            const T* const row = in + at(0, i) + at(1, j) + at(2, k) + at(3, l) + at(4, m);
            for (int n = 0; n < s.extent[5]; ++n) *out++ = row[at(5, n)];
          }
}

}  // namespace ctq::kernels::reference
