// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernels/kernel_list.hpp"

// Kernels that work on each element, whatever the order of the elements.

namespace ctq::kernels::descriptors {

struct quantize : descriptor<elementwise_shape> {
  static constexpr std::string_view name = "quantize";
  static constexpr bool exists(dtype in, dtype out) { return in == f32 && is_int8(out); }
};

struct dequantize : descriptor<elementwise_shape> {
  static constexpr std::string_view name = "dequantize";
  static constexpr bool exists(dtype in, dtype out) { return is_int8(in) && out == f32; }
};

struct requantize : descriptor<elementwise_shape> {
  static constexpr std::string_view name = "requantize";
  static constexpr bool exists(dtype in, dtype out) { return is_int8(in) && is_int8(out); }
};

struct relu : descriptor<elementwise_shape> {
  static constexpr std::string_view name = "relu";
};

struct add : descriptor<elementwise_shape> {
  static constexpr std::string_view name = "add";
};

struct add_relu : add {
  static constexpr std::string_view name = "add_relu";
};

/// add on integers in 16 bits, if a plan asks for it.
struct add_within_one_step : descriptor<elementwise_shape> {
  static constexpr std::string_view name = "add_within_one_step";
  static constexpr bool computes_ops = false;
  static constexpr bool exists(dtype in, dtype out) { return in == out && is_int8(in); }
};

/// With a relu or without.
struct mul : descriptor<elementwise_shape> {
  static constexpr std::string_view name = "mul";
};

/// On float32 alone, with a relu or without.
struct batch_norm2d : descriptor<channels_shape> {
  static constexpr std::string_view name = "batch_norm2d";
  static constexpr bool exists(dtype in, dtype out) { return in == f32 && out == f32; }
};

/// An op by its definition, element by element, of one tensor or two.
struct elementwise : descriptor<elementwise_shape> {
  static constexpr std::string_view name = "elementwise";
  static constexpr bool calls_op = true;
};

/// The same of whole tensors.
struct function : descriptor<function_shape> {
  static constexpr std::string_view name = "function";
  static constexpr bool calls_op = true;
};

}  // namespace ctq::kernels::descriptors

namespace ctq::kernel {

inline constexpr kernel_id quantize = kernels::id_of<kernels::descriptors::quantize>;
inline constexpr kernel_id dequantize = kernels::id_of<kernels::descriptors::dequantize>;
inline constexpr kernel_id requantize = kernels::id_of<kernels::descriptors::requantize>;
inline constexpr kernel_id relu = kernels::id_of<kernels::descriptors::relu>;
inline constexpr kernel_id add = kernels::id_of<kernels::descriptors::add>;
inline constexpr kernel_id add_relu = kernels::id_of<kernels::descriptors::add_relu>;
inline constexpr kernel_id add_within_one_step =
    kernels::id_of<kernels::descriptors::add_within_one_step>;
inline constexpr kernel_id mul = kernels::id_of<kernels::descriptors::mul>;
inline constexpr kernel_id batch_norm2d = kernels::id_of<kernels::descriptors::batch_norm2d>;
inline constexpr kernel_id elementwise = kernels::id_of<kernels::descriptors::elementwise>;
inline constexpr kernel_id function = kernels::id_of<kernels::descriptors::function>;

}  // namespace ctq::kernel
