// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/define_ops.hpp"

// Padding, interpolation, repeats, pixel_shuffle and pixel_unshuffle.

// clang-format off
#define CTQ_RESIZES(OP) \
  OP(nn, module_op, constant_pad2d, "torch.nn.ConstantPad2d", no_options, none) \
  OP(nn, module_op, zero_pad2d, "torch.nn.ZeroPad2d", no_options, none) \
  OP(nn, module_op, reflection_pad2d, "torch.nn.ReflectionPad2d", no_options, none) \
  OP(nn, module_op, replication_pad2d, "torch.nn.ReplicationPad2d", no_options, none) \
  OP(nn, module_op, upsample, "torch.nn.Upsample", no_options, ordered) \
  OP(fn, function_op, pad, "torch.nn.functional.pad", no_options, ordered) \
  CTQ_MODULE_AND_FUNCTION(OP, pixel_shuffle, "PixelShuffle", no_options, pixel_shuffle) \
  CTQ_MODULE_AND_FUNCTION(OP, pixel_unshuffle, "PixelUnshuffle", no_options, pixel_shuffle) \
  OP(fn, function_op, interpolate, "torch.nn.functional.interpolate", no_options, interpolate) \
  CTQ_FUNCTION_AND_METHOD(OP, repeat_interleave, no_options, repeat_interleave) \
  OP(method, method_op, repeat, "repeat", no_options, repeat)
// clang-format on

CTQ_RESIZES(CTQ_DECLARE_OP)

namespace ctq::descriptors {

inline constexpr op_descriptor ordered{.keeps_memory_order = true};
inline constexpr op_descriptor interpolate{.keeps_memory_order = true,
                                           .on_integers = on_integers::input_scale};
inline constexpr op_descriptor pixel_shuffle{.on_integers = on_integers::input_scale,
                                             .is_since_2_1 = true};
inline constexpr op_descriptor repeat{.first_non_tensor = 1,
                                      .end_non_tensors = all_arguments,
                                      .on_integers = on_integers::input_scale};
inline constexpr op_descriptor repeat_interleave{.on_integers = on_integers::input_scale};

}  // namespace ctq::descriptors

CTQ_RESIZES(CTQ_DESCRIBE_OP)
