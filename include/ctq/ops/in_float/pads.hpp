// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/resizes.hpp"

// Modules that pad and that PyTorch's backends leave in float.

// clang-format off
#define CTQ_FLOAT_PADS(OP) \
  OP(nn, module_op, constant_pad1d, "torch.nn.ConstantPad1d", constant_pad_options, constant_pad) \
  OP(nn, module_op, constant_pad3d, "torch.nn.ConstantPad3d", constant_pad_options, constant_pad) \
  OP(nn, module_op, zero_pad1d, "torch.nn.ZeroPad1d", copying_pad_options, zero_pad) \
  OP(nn, module_op, zero_pad2d, "torch.nn.ZeroPad2d", copying_pad_options, zero_pad) \
  OP(nn, module_op, zero_pad3d, "torch.nn.ZeroPad3d", copying_pad_options, zero_pad) \
  OP(nn, module_op, reflection_pad1d, "torch.nn.ReflectionPad1d", copying_pad_options, reflection_pad) \
  OP(nn, module_op, reflection_pad2d, "torch.nn.ReflectionPad2d", copying_pad_options, reflection_pad) \
  OP(nn, module_op, reflection_pad3d, "torch.nn.ReflectionPad3d", copying_pad_options, reflection_pad) \
  OP(nn, module_op, replication_pad1d, "torch.nn.ReplicationPad1d", copying_pad_options, replication_pad) \
  OP(nn, module_op, replication_pad2d, "torch.nn.ReplicationPad2d", copying_pad_options, replication_pad) \
  OP(nn, module_op, replication_pad3d, "torch.nn.ReplicationPad3d", copying_pad_options, replication_pad)
// clang-format on

CTQ_FLOAT_PADS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

inline constexpr op_descriptor zero_pad = pad_module<copying_pad_options, padding_rule::constant>();
inline constexpr op_descriptor reflection_pad =
    pad_module<copying_pad_options, padding_rule::reflect>();
inline constexpr op_descriptor replication_pad =
    pad_module<copying_pad_options, padding_rule::replicate>();

}  // namespace ctq::descriptors

CTQ_FLOAT_PADS(CTQ_DESCRIBE_OP)
