// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/no_contract.hpp"
#include "ctq/core/shapes/sequence_shapes.hpp"
#include "ctq/kernels/gates.hpp"

namespace ctq::kernels {

/// One step of a cell, for all rows of a batch.
struct recurrent_step {
  recurrent_cell cell{};
  int rows{};
  int hidden{};
  std::ptrdiff_t x_stride{};   // between the products of the inputs of two rows
  std::ptrdiff_t to_stride{};  // between two rows of the sequence that is written
};

namespace reference {

/// Element i of a row of the next hidden state; for an LSTM, c becomes that of the next cell state.
///   x, past  products of the input and of the hidden state with their weights, with biases
///   h, c     the last state
[[nodiscard]] inline float next_hidden(recurrent_cell cell, const float* x, const float* past,
                                       std::ptrdiff_t hidden, std::ptrdiff_t i, float h,
                                       float& c) noexcept {
  const auto both = [&](int gate) { return x[gate * hidden + i] + past[gate * hidden + i]; };
  switch (cell) {
    case recurrent_cell::rnn_tanh: return gate_tanh(both(0));
    case recurrent_cell::rnn_relu: return both(0) > 0.0F ? both(0) : 0.0F;
    case recurrent_cell::lstm: {
      const float kept = no_contract(gate_sigmoid(both(1)) * c);
      c = kept + no_contract(gate_sigmoid(both(0)) * gate_tanh(both(2)));
      return gate_sigmoid(both(3)) * gate_tanh(c);
    }
    case recurrent_cell::gru: {
      const float reset = gate_sigmoid(both(0));
      const float fresh = gate_tanh(x[2 * hidden + i] + no_contract(reset * past[2 * hidden + i]));
      return fresh + no_contract(gate_sigmoid(both(1)) * (h - fresh));
    }
  }
  return h;
}

/// One step of a recurrent cell, as PyTorch's modules say:
///
///   LSTM  i, f, g, o: c' = sigmoid(f) c + sigmoid(i) tanh(g), h' = sigmoid(o) tanh(c')
///   GRU   r, z, n: n' = tanh(n_x + sigmoid(r) n_h), h' = n' + sigmoid(z) (h - n')
///   RNN   h' = tanh(x + past) or relu of it
///
/// Shapes    x rows of [gates · hidden], x_stride apart · past [rows, gates · hidden] · h, c
///           [rows, hidden], which are replaced; c of an LSTM alone · to rows of [hidden],
///           to_stride apart, or null
/// Rounding  once in each operation; sigmoid and tanh of kernels/gates.hpp
inline void recurrent_gates(const recurrent_step& s, const float* x, const float* past, float* h,
                            float* c, float* to) noexcept {
  float none = 0.0F;
  const int gates = recurrent_shape{.cell = s.cell}.gates();
  for (int row = 0; row < s.rows; ++row) {
    for (int i = 0; i < s.hidden; ++i) {
      h[i] = next_hidden(s.cell, x, past, s.hidden, i, h[i],
                         s.cell == recurrent_cell::lstm ? c[i] : none);
      if (to != nullptr) to[i] = h[i];
    }
    x += s.x_stride;
    past += std::ptrdiff_t{gates} * s.hidden;
    h += s.hidden;
    if (s.cell == recurrent_cell::lstm) c += s.hidden;
    if (to != nullptr) to += s.to_stride;
  }
}

/// One time step of an observed LSTM cell. Also writes the seven tensors that PyTorch's
/// torch.ao.nn.quantizable.LSTMCell observes, each contiguous, in the order of their observers:
/// three of gates, [rows, 4 · hidden], then four [rows, hidden].
///
/// Shapes    as recurrent_gates · observed [(4 + 4 + 4 + 1 + 1 + 1 + 1) · rows · hidden]
inline void observed_lstm_gates(const recurrent_step& s, const float* x, const float* past,
                                float* h, float* c, float* to, float* observed) noexcept {
  const std::ptrdiff_t width = s.hidden;
  const std::ptrdiff_t elements = s.rows * width;
  for (int row = 0; row < s.rows; ++row) {
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < s.hidden; ++i) {
        float* const gate = observed + (row * std::ptrdiff_t{4} + k) * width + i;
        gate[0] = x[k * width + i];
        gate[4 * elements] = past[k * width + i];
        gate[8 * elements] = gate[0] + gate[4 * elements];
      }
    const float* const gates = observed + 8 * elements + row * 4 * width;
    float* const rest = observed + 12 * elements + row * width;
    for (int i = 0; i < s.hidden; ++i) {
      rest[i] = no_contract(gate_sigmoid(gates[width + i]) * c[i]);
      rest[elements + i] = no_contract(gate_sigmoid(gates[i]) * gate_tanh(gates[2 * width + i]));
      c[i] = rest[2 * elements + i] = rest[i] + rest[elements + i];
      h[i] = rest[3 * elements + i] = gate_sigmoid(gates[3 * width + i]) * gate_tanh(c[i]);
      if (to != nullptr) to[i] = h[i];
    }
    x += s.x_stride;
    past += 4 * width;
    h += width;
    c += width;
    if (to != nullptr) to += s.to_stride;
  }
}

}  // namespace reference

}  // namespace ctq::kernels
