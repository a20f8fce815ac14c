// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/core/qparams.hpp"
#include "ctq/kernels/reference/binary_add.hpp"
#include "ctq/kernels/reference/binary_mul.hpp"

namespace ctq::kernels {

/// The qparams of the values in a cell, see lstm_cell_value, and its functions as tables of 256
/// entries.
struct quantized_lstm_cell {
  qparams igates{}, hgates{}, gates{}, fgate_cx{}, igate_cgate{}, c{}, h{};
  std::uint8_t sigmoid[256]{}, tanh[256]{};  // of gates
  std::uint8_t tanh_of_c[256]{};
};

/// One step of a cell, for all rows of a batch.
struct quantized_lstm_step {
  int rows{};
  int hidden{};
  std::ptrdiff_t x_stride{};     // between the products of the inputs of two rows
  std::ptrdiff_t past_stride{};  // between those of two hidden states; 0: all rows have one
  std::ptrdiff_t to_stride{};    // between two rows of the sequence that is written
  qparams last_c{};              // of the c that is read: in the first step not that of the cell
};

namespace reference {

/// A gate of one element.
[[nodiscard]] inline std::uint8_t quantized_gate(const quantized_lstm_cell& cell,
                                                 const std::uint8_t* x, const std::uint8_t* past,
                                                 std::ptrdiff_t at) noexcept {
  return quantize<std::uint8_t>(binary_add(x[at], cell.igates, past[at], cell.hgates),
                                quantizer_of(cell.gates));
}

/// The next h of element i of a row; c is replaced.
[[nodiscard]] inline std::uint8_t quantized_lstm_element(
    const quantized_lstm_cell& cell, const qparams& last_c, const std::uint8_t* x,
    const std::uint8_t* past, std::ptrdiff_t hidden, std::ptrdiff_t i, std::uint8_t& c) noexcept {
  using byte = std::uint8_t;
  const auto gate = [&](int k) { return quantized_gate(cell, x, past, k * hidden + i); };
  const auto product = [](byte a, const qparams& a_q, byte b, const qparams& b_q,
                          const qparams& to) {
    return quantize<byte>(binary_mul(a, a_q, b, b_q), quantizer_of(to));
  };
  const byte igate_cgate = product(cell.sigmoid[gate(0)], sigmoid_qparams, cell.tanh[gate(2)],
                                   tanh_qparams, cell.igate_cgate);
  const byte fgate_cx = product(cell.sigmoid[gate(1)], sigmoid_qparams, c, last_c, cell.fgate_cx);
  c = quantize<byte>(binary_add(fgate_cx, cell.fgate_cx, igate_cgate, cell.igate_cgate),
                     quantizer_of(cell.c));
  return product(cell.sigmoid[gate(3)], sigmoid_qparams, cell.tanh_of_c[c], tanh_qparams, cell.h);
}

/// One step of an LSTM cell on integers: PyTorch's torch.ao.nn.quantizable.LSTMCell, op by op, each
/// of which is dequantize, the op in float32, quantize:
///
///   gates = x + past, of which i, f and o are the sigmoid and g is the tanh
///   c' = f * c + i * g, then h' = o * tanh(c')
///
/// Shapes    x rows of [4 · hidden], x_stride apart · past the same, past_stride apart · h, c
///           [rows, hidden], which are replaced · to rows of [hidden], to_stride apart: h', through
///           the table `output_table` if there is one
/// Rounding  as binary_add and binary_mul
/// Source    PyTorch torch/ao/nn/quantizable/modules/rnn.py
inline void quantized_lstm_gates(const quantized_lstm_step& s, const quantized_lstm_cell& cell,
                                 const std::uint8_t* x, const std::uint8_t* past, std::uint8_t* h,
                                 std::uint8_t* c, std::uint8_t* to,
                                 const std::uint8_t* output_table) noexcept {
  for (int row = 0; row < s.rows; ++row) {
    for (int i = 0; i < s.hidden; ++i) {
      h[i] = quantized_lstm_element(cell, s.last_c, x, past, s.hidden, i, c[i]);
      to[i] = output_table == nullptr ? h[i] : output_table[h[i]];
    }
    x += s.x_stride;
    past += s.past_stride;
    h += s.hidden;
    c += s.hidden;
    to += s.to_stride;
  }
}

}  // namespace reference

}  // namespace ctq::kernels
