// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/define_ops.hpp"

// Recurrent networks, which are quantized dynamically.

// clang-format off
#define CTQ_RECURRENT_OP(OP, identifier, module) \
  OP(nn, module_op, identifier, "torch.nn." module, no_options, identifier) \
  OP(nnqr, module_op, identifier, "torch.ao.nn.quantized.reference." module, no_options, none) \
  OP(q, pass_op, identifier##_dynamic, "torch.ao.nn.quantized.dynamic." module, no_options, none)
#define CTQ_RECURRENT_OPS(OP) \
  CTQ_RECURRENT_OP(OP, lstm, "LSTM") \
  CTQ_RECURRENT_OP(OP, lstm_cell, "LSTMCell") \
  CTQ_RECURRENT_OP(OP, gru, "GRU") \
  CTQ_RECURRENT_OP(OP, gru_cell, "GRUCell") \
  CTQ_RECURRENT_OP(OP, rnn_cell, "RNNCell") \
  OP(nn, module_op, rnn, "torch.nn.RNN", no_options, rnn)
// clang-format on

CTQ_RECURRENT_OPS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

constexpr op_descriptor recurrent(op_id dynamic_form) {
  return {.weights = op_weights::quantizable, .dynamic_form = dynamic_form};
}

inline constexpr op_descriptor lstm = recurrent(&q::info_lstm_dynamic);
inline constexpr op_descriptor gru = recurrent(&q::info_gru_dynamic);
inline constexpr op_descriptor lstm_cell = recurrent(&q::info_lstm_cell_dynamic);
inline constexpr op_descriptor gru_cell = recurrent(&q::info_gru_cell_dynamic);
inline constexpr op_descriptor rnn_cell = recurrent(&q::info_rnn_cell_dynamic);
inline constexpr op_descriptor rnn = recurrent(nullptr);

}  // namespace ctq::descriptors

CTQ_RECURRENT_OPS(CTQ_DESCRIBE_OP)
