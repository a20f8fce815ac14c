// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/define_ops.hpp"

// Inputs and outputs of graphs, and ops that passes insert.

// clang-format off
#define CTQ_PASS_OPS(OP) \
  OP(nn, output_op, output, "output", no_options, output) \
  OP(nn, placeholder_op, placeholder, "placeholder", no_options, placeholder) \
  OP(nn, get_attr_op, get_attr, "get_attr", no_options, get_attr) \
  OP(q, pass_op, activation_post_process, "activation_post_process", no_options, activation_post_process) \
  OP(q, pass_op, quantize_per_tensor, "torch.quantize_per_tensor", no_options, quantize) \
  OP(q, pass_op, quantize_per_channel, "torch.quantize_per_channel", no_options, none) \
  OP(q, pass_op, quantize_per_tensor_dynamic, "torch.quantize_per_tensor_dynamic", no_options, none) \
  OP(q, pass_op, to_float16, "to", no_options, none) \
  OP(q, pass_op, dequantize, "dequantize", no_options, dequantize) \
  OP(q, pass_op, requantize, "requantize", no_options, requantize) \
  OP(q, pass_op, decomposed_quantize_per_tensor, "quantized_decomposed.quantize_per_tensor", no_options, none) \
  OP(q, pass_op, decomposed_dequantize_per_tensor, "quantized_decomposed.dequantize_per_tensor", no_options, none) \
  OP(q, pass_op, decomposed_quantize_per_channel, "quantized_decomposed.quantize_per_channel", no_options, none) \
  OP(q, pass_op, decomposed_dequantize_per_channel, "quantized_decomposed.dequantize_per_channel", no_options, none) \
  OP(q, pass_op, choose_qparams, "quantized_decomposed.choose_qparams", no_options, none)
// clang-format on

CTQ_PASS_OPS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// The shape of the first tensor that is returned; each tensor has that of its node.
constexpr shape output_shape(view<shape> in, attributes&, diagnostic& d) {
  if (!in.empty()) return in[0];
  shape_rules::complain(d, "a model returns a tensor or more");
  return {};
}

inline constexpr op_descriptor placeholder{.schedule = {.how = schedule_as::input}};
inline constexpr op_descriptor get_attr{.schedule = {.how = schedule_as::constant}};
inline constexpr op_descriptor output{.infer_shape = &output_shape,
                                      .schedule = {.how = schedule_as::output}};
inline constexpr op_descriptor activation_post_process{.schedule = {.how = schedule_as::observe}};
inline constexpr op_descriptor quantize{.keeps_memory_order = true,
                                        .schedule = in_any_order(kernel::quantize)};
inline constexpr op_descriptor dequantize{.keeps_memory_order = true,
                                          .schedule = in_any_order(kernel::dequantize)};
inline constexpr op_descriptor requantize{.keeps_memory_order = true,
                                          .schedule = in_any_order(kernel::requantize)};

}  // namespace ctq::descriptors

CTQ_PASS_OPS(CTQ_DESCRIBE_OP)
