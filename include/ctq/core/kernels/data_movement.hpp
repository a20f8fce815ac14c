// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernels/kernel_list.hpp"

// Kernels that copy elements to another place.

namespace ctq::kernels::descriptors {

/// One input of a cat, to its place.
struct concat : descriptor<concat_shape> {
  static constexpr std::string_view name = "concat";
};

/// At the input or the output of a model, or after a view.
struct to_nhwc : descriptor<transpose_shape> {
  static constexpr std::string_view name = "to_nhwc";
  static constexpr bool computes_ops = false;
};

struct to_nchw : to_nhwc {
  static constexpr std::string_view name = "to_nchw";
};

}  // namespace ctq::kernels::descriptors

namespace ctq::kernel {

inline constexpr kernel_id concat = kernels::id_of<kernels::descriptors::concat>;
inline constexpr kernel_id to_nhwc = kernels::id_of<kernels::descriptors::to_nhwc>;
inline constexpr kernel_id to_nchw = kernels::id_of<kernels::descriptors::to_nchw>;

}  // namespace ctq::kernel
