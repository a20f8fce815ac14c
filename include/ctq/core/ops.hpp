// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/op.hpp"

// The ops that have names in PyTorch, from the table core/ops.inc, and what only graphs contain:
//   nn:: modules · nni:: fused modules · nnqat::, nniqat:: their forms in quantization-aware
//   training · nnqr:: their reference quantized forms · fn:: functions · op:: Python operators ·
//   method:: methods of tensors · q:: what the passes insert

#define CTQ_OP(space, base, identifier, qualified_name, ...)                     \
  namespace ctq::space {                                                         \
  struct op_##identifier : base<op_##identifier __VA_OPT__(, ) __VA_ARGS__> {    \
    static constexpr std::string_view name = qualified_name;                     \
  };                                                                             \
  inline constexpr op_##identifier identifier{};                                 \
  }
#include "ctq/core/ops.inc"

CTQ_OP(nn, output_op, output, "output")
CTQ_OP(nn, placeholder_op, placeholder, "placeholder")

CTQ_OP(q, pass_op, activation_post_process, "activation_post_process")
CTQ_OP(q, pass_op, quantize_per_tensor, "torch.quantize_per_tensor")
CTQ_OP(q, pass_op, dequantize, "dequantize")
CTQ_OP(q, pass_op, requantize, "requantize")
CTQ_OP(q, pass_op, conv2d, "torch.ao.nn.quantized.Conv2d", conv2d_options)
CTQ_OP(q, pass_op, conv_relu2d, "torch.ao.nn.intrinsic.quantized.ConvReLU2d", conv2d_options)
CTQ_OP(q, pass_op, linear, "torch.ao.nn.quantized.Linear", linear_options)
CTQ_OP(q, pass_op, linear_relu, "torch.ao.nn.intrinsic.quantized.LinearReLU", linear_options)
CTQ_OP(q, pass_op, add, "torch.ops.quantized.add")
CTQ_OP(q, pass_op, add_relu, "torch.ops.quantized.add_relu")
#undef CTQ_OP
