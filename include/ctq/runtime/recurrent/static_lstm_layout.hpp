// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/sequence_shapes.hpp"
#include "ctq/kernels/operands.hpp"
#include "ctq/kernels/reference/recurrent/quantized_lstm_gates.hpp"

// What the kernel of a statically quantized LSTM reads: a part for each cell, in the order of the
// layers and their directions.

namespace ctq {

/// What the kernel reads of a cell, besides its weights.
struct packed_lstm_cell {
  kernels::quantized_lstm_cell values{};
  qparams first_c{};           // those of the c that its first step reads
  int requantizes_output = 0;  // 1: the sequence has the qparams of another direction, not of h
  // Tables of 256 entries, from the qparams of the cell to those of the LSTM's outputs.
  std::uint8_t output[256]{};                 // from h, in the sequence
  std::uint8_t last_h[256]{}, last_c[256]{};  // from h and c, in the last state
};

/// The offsets of the parts of a cell, which are contiguous:
///
///   packed_lstm_cell
///   initial state   if it is zeros, the row that is its product; else a second copy of the weights
///                   of the hidden state, packed for the qparams of the given state
///   the weights of the input, then those of the hidden state
struct static_lstm_layout {
  std::size_t of_first_state{};
  std::size_t of_input{};
  std::size_t of_state{};
  std::size_t bytes{};

  ///   input, state  bytes of the weights
  constexpr static_lstm_layout(const recurrent_shape& s, std::size_t input, std::size_t state)
      : of_first_state(packing::padded(sizeof(packed_lstm_cell))),
        of_input(of_first_state + packing::padded(s.has_state != 0
                                                      ? state
                                                      : static_cast<std::size_t>(s.gates()) *
                                                            static_cast<std::size_t>(s.hidden))),
        of_state(of_input + packing::padded(input)),
        bytes(of_state + packing::padded(state)) {}
};

}  // namespace ctq
