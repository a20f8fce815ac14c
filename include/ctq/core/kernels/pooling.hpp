// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernels/kernel_list.hpp"

// Kernels that make one element of those below a window.

namespace ctq::kernels::descriptors {

struct max_pool2d : descriptor<pool2d_shape> {
  static constexpr std::string_view name = "max_pool2d";
};

/// Adaptive pools as well: of fixed size.
struct avg_pool2d : descriptor<pool2d_shape> {
  static constexpr std::string_view name = "avg_pool2d";
};

}  // namespace ctq::kernels::descriptors

namespace ctq::kernel {

inline constexpr kernel_id max_pool2d = kernels::id_of<kernels::descriptors::max_pool2d>;
inline constexpr kernel_id avg_pool2d = kernels::id_of<kernels::descriptors::avg_pool2d>;

}  // namespace ctq::kernel
