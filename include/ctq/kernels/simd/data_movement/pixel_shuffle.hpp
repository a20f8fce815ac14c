// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/kernels/reference/pixel_shuffle.hpp"

namespace ctq::kernels::simd {

/// As reference::pixel_shuffle. Bytes that lie apart are moved one by one on all instruction sets.
template <class Isa, class T>
inline void pixel_shuffle(pixel_shuffle_shape s, const T* in, T* out) noexcept {
  reference::pixel_shuffle(s, in, out);
}

}  // namespace ctq::kernels::simd
