// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/define_ops.hpp"

// Recurrent networks, which are quantized as their inputs come.

// clang-format off
#define CTQ_RECURRENT_OPS(OP) \
  OP(nn, module_op, lstm, "torch.nn.LSTM", no_options, lstm) \
  OP(nn, module_op, lstm_cell, "torch.nn.LSTMCell", no_options, lstm_cell) \
  OP(nn, module_op, gru, "torch.nn.GRU", no_options, gru) \
  OP(nn, module_op, gru_cell, "torch.nn.GRUCell", no_options, gru_cell) \
  OP(nn, module_op, rnn, "torch.nn.RNN", no_options, rnn) \
  OP(nn, module_op, rnn_cell, "torch.nn.RNNCell", no_options, rnn_cell) \
  OP(nnqr, module_op, lstm, "torch.ao.nn.quantized.reference.LSTM", no_options, none) \
  OP(nnqr, module_op, lstm_cell, "torch.ao.nn.quantized.reference.LSTMCell", no_options, none) \
  OP(nnqr, module_op, gru, "torch.ao.nn.quantized.reference.GRU", no_options, none) \
  OP(nnqr, module_op, gru_cell, "torch.ao.nn.quantized.reference.GRUCell", no_options, none) \
  OP(nnqr, module_op, rnn_cell, "torch.ao.nn.quantized.reference.RNNCell", no_options, none) \
  OP(q, pass_op, lstm_dynamic, "torch.ao.nn.quantized.dynamic.LSTM", no_options, none) \
  OP(q, pass_op, gru_dynamic, "torch.ao.nn.quantized.dynamic.GRU", no_options, none) \
  OP(q, pass_op, lstm_cell_dynamic, "torch.ao.nn.quantized.dynamic.LSTMCell", no_options, none) \
  OP(q, pass_op, gru_cell_dynamic, "torch.ao.nn.quantized.dynamic.GRUCell", no_options, none) \
  OP(q, pass_op, rnn_cell_dynamic, "torch.ao.nn.quantized.dynamic.RNNCell", no_options, none)
// clang-format on

CTQ_RECURRENT_OPS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

constexpr op_descriptor recurrent(op_id dynamic_form) {
  return {.weights = op_weights::quantizable, .dynamic_form = dynamic_form};
}

inline constexpr op_descriptor lstm = recurrent(&q::op_lstm_dynamic::info);
inline constexpr op_descriptor gru = recurrent(&q::op_gru_dynamic::info);
inline constexpr op_descriptor lstm_cell = recurrent(&q::op_lstm_cell_dynamic::info);
inline constexpr op_descriptor gru_cell = recurrent(&q::op_gru_cell_dynamic::info);
inline constexpr op_descriptor rnn_cell = recurrent(&q::op_rnn_cell_dynamic::info);
inline constexpr op_descriptor rnn = recurrent(nullptr);

}  // namespace ctq::descriptors

CTQ_RECURRENT_OPS(CTQ_DESCRIBE_OP)
