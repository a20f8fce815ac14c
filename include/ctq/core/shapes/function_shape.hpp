// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shape.hpp"

// The shape of ops without a kernel, which are computed by functions of their own.

namespace ctq {

/// Whole tensors, in N, C, H, W order, and the memory of the tensors that the op owns.
struct function_shape {
  shape in[2]{};
  shape out{};
  int parameter_blocks{};  // of packing::alignment bytes

  friend constexpr bool operator==(const function_shape&, const function_shape&) = default;
};

}  // namespace ctq
