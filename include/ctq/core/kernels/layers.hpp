// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernels/kernel_list.hpp"

// Layers with weights, each with a relu or without; in integers it is part of their clamp.

namespace ctq::kernels::descriptors {

/// In float32, or from 8-bit integers to 8-bit integers.
[[nodiscard]] constexpr bool layer_type(dtype in, dtype out) {
  return (in == f32 && out == f32) || (is_int8(in) && is_int8(out));
}

struct conv2d : descriptor<conv2d_shape> {
  static constexpr std::string_view name = "conv2d";
  static constexpr bool has_weights = true;
  static constexpr bool exists(dtype in, dtype out) { return layer_type(in, out); }
};

struct linear : descriptor<linear_shape> {
  static constexpr std::string_view name = "linear";
  static constexpr bool has_weights = true;
  static constexpr bool exists(dtype in, dtype out) { return layer_type(in, out); }
};

/// From float32 to float32 by way of integers, of the range that the input has this time.
struct linear_dynamic : descriptor<linear_shape> {
  static constexpr std::string_view name = "linear_dynamic";
  static constexpr bool has_weights = true;
  static constexpr bool exists(dtype in, dtype out) { return in == f32 && out == f32; }
};

}  // namespace ctq::kernels::descriptors

namespace ctq::kernel {

inline constexpr kernel_id conv2d = kernels::id_of<kernels::descriptors::conv2d>;
inline constexpr kernel_id linear = kernels::id_of<kernels::descriptors::linear>;
inline constexpr kernel_id linear_dynamic = kernels::id_of<kernels::descriptors::linear_dynamic>;

}  // namespace ctq::kernel
