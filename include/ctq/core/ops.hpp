// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/op.hpp"

// The ops that have names in PyTorch, from the table core/ops.inc, and what only graphs contain:
//   nn:: modules · nni:: fused modules · nnqat::, nniqat:: their forms in quantization-aware
//   training · nnqr:: their reference quantized forms · fn:: functions · op:: Python operators ·
//   method:: methods of tensors · q:: what the passes insert

#define CTQ_OP(space, base, identifier, qualified_name, ...)                  \
  namespace ctq::space {                                                      \
  struct op_##identifier : base<op_##identifier __VA_OPT__(, ) __VA_ARGS__> { \
    using builtin = void;                                                     \
    static constexpr std::string_view name = qualified_name;                  \
  };                                                                          \
  inline constexpr op_##identifier identifier{};                              \
  }
#include "ctq/core/ops.inc"

CTQ_OP(nn, output_op, output, "output")
CTQ_OP(nn, placeholder_op, placeholder, "placeholder")
CTQ_OP(nn, get_attr_op, get_attr, "get_attr")

CTQ_OP(q, pass_op, activation_post_process, "activation_post_process")
CTQ_OP(q, pass_op, quantize_per_tensor, "torch.quantize_per_tensor")
CTQ_OP(q, pass_op, quantize_per_channel, "torch.quantize_per_channel")
CTQ_OP(q, pass_op, quantize_per_tensor_dynamic, "torch.quantize_per_tensor_dynamic")
CTQ_OP(q, pass_op, to_float16, "to")
CTQ_OP(q, pass_op, dequantize, "dequantize")
CTQ_OP(q, pass_op, requantize, "requantize")
CTQ_OP(q, pass_op, decomposed_quantize_per_tensor, "quantized_decomposed.quantize_per_tensor")
CTQ_OP(q, pass_op, decomposed_dequantize_per_tensor, "quantized_decomposed.dequantize_per_tensor")
CTQ_OP(q, pass_op, decomposed_quantize_per_channel, "quantized_decomposed.quantize_per_channel")
CTQ_OP(q, pass_op, decomposed_dequantize_per_channel, "quantized_decomposed.dequantize_per_channel")
CTQ_OP(q, pass_op, choose_qparams, "quantized_decomposed.choose_qparams")
CTQ_OP(q, pass_op, conv2d, "torch.ao.nn.quantized.Conv2d", conv2d_options)
CTQ_OP(q, pass_op, conv_relu2d, "torch.ao.nn.intrinsic.quantized.ConvReLU2d", conv2d_options)
CTQ_OP(q, pass_op, linear, "torch.ao.nn.quantized.Linear", linear_options)
CTQ_OP(q, pass_op, linear_relu, "torch.ao.nn.intrinsic.quantized.LinearReLU", linear_options)
CTQ_OP(q, pass_op, conv1d, "torch.ao.nn.quantized.Conv1d")
CTQ_OP(q, pass_op, conv3d, "torch.ao.nn.quantized.Conv3d")
CTQ_OP(q, pass_op, conv_relu1d, "torch.ao.nn.intrinsic.quantized.ConvReLU1d")
CTQ_OP(q, pass_op, conv_relu3d, "torch.ao.nn.intrinsic.quantized.ConvReLU3d")
CTQ_OP(q, pass_op, embedding, "torch.ao.nn.quantized.Embedding")
CTQ_OP(q, pass_op, embedding_bag, "torch.ao.nn.quantized.EmbeddingBag")
CTQ_OP(q, pass_op, linear_dynamic, "torch.ao.nn.quantized.dynamic.Linear")
CTQ_OP(q, pass_op, linear_relu_dynamic, "torch.ao.nn.intrinsic.quantized.dynamic.LinearReLU")
CTQ_OP(q, pass_op, lstm_dynamic, "torch.ao.nn.quantized.dynamic.LSTM")
CTQ_OP(q, pass_op, gru_dynamic, "torch.ao.nn.quantized.dynamic.GRU")
CTQ_OP(q, pass_op, lstm_cell_dynamic, "torch.ao.nn.quantized.dynamic.LSTMCell")
CTQ_OP(q, pass_op, gru_cell_dynamic, "torch.ao.nn.quantized.dynamic.GRUCell")
CTQ_OP(q, pass_op, rnn_cell_dynamic, "torch.ao.nn.quantized.dynamic.RNNCell")
CTQ_OP(q, pass_op, functional_linear, "torch.ops.quantized.linear")
CTQ_OP(q, pass_op, functional_linear_relu, "torch.ops.quantized.linear_relu")
CTQ_OP(q, pass_op, functional_linear_dynamic, "torch.ops.quantized.linear_dynamic")
CTQ_OP(q, pass_op, functional_linear_relu_dynamic, "torch.ops.quantized.linear_relu_dynamic")
CTQ_OP(q, pass_op, functional_conv1d, "torch.ops.quantized.conv1d")
CTQ_OP(q, pass_op, functional_conv1d_relu, "torch.ops.quantized.conv1d_relu")
CTQ_OP(q, pass_op, functional_conv2d, "torch.ops.quantized.conv2d")
CTQ_OP(q, pass_op, functional_conv2d_relu, "torch.ops.quantized.conv2d_relu")
CTQ_OP(q, pass_op, functional_conv3d, "torch.ops.quantized.conv3d")
CTQ_OP(q, pass_op, functional_conv3d_relu, "torch.ops.quantized.conv3d_relu")
CTQ_OP(q, pass_op, mul, "torch.ops.quantized.mul")
CTQ_OP(q, pass_op, mul_relu, "torch.ops.quantized.mul_relu")
CTQ_OP(q, pass_op, matmul, "torch.ops.quantized.matmul")
CTQ_OP(q, pass_op, add, "torch.ops.quantized.add")
CTQ_OP(q, pass_op, add_relu, "torch.ops.quantized.add_relu")
#undef CTQ_OP
