// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

// The shapes of kernels that read words and sequences; others are in core/kernel_signature.hpp.

namespace ctq {

/// What an embedding bag computes from the rows of a bag.
enum class bag_mode : int { sum, mean, max };

/// Rows of a table that are looked up; with bags, the output has a row for each bag of indices.
struct embedding_shape {
  int indices{};
  int rows{}, width{};     // of the table
  int bits = 32;           // of its elements: 32 for floats; 8, 4 for integers
  int bags{};              // only for embedding_bag, as the members that follow
  bag_mode mode{};         //
  int has_offsets{};       // 1: where bags begin is given; 2: and where the last one ends; 0: all
                           // have the same number of indices
  int padding_index = -1;  // an index that is ignored; -1: none
  int is_signed{};         // 1: integers of 8 bits have a sign

  friend constexpr bool operator==(const embedding_shape&, const embedding_shape&) = default;
};

/// What a recurrent layer computes in a step, from the products of its input and of its hidden
/// state with their weights.
enum class recurrent_cell : int { rnn_tanh, rnn_relu, lstm, gru };

/// The values in a cell of PyTorch's quantizable LSTM that are observed, in the order of their
/// observers.
enum class lstm_cell_value : int {
  igates,       // weights · input
  hgates,       // weights · hidden state
  gates,        // their sum
  fgate_cx,     // forget gate · last c
  igate_cgate,  // input gate · cell gate
  c,            // their sum
  h,            // output gate · tanh(c)
};
inline constexpr int lstm_cell_values = 7;

/// Where each of these lies among the observed values of one step, in elements of the hidden state.
struct observed_part {
  int first{}, count{};
};
inline constexpr observed_part observed_in_cell[lstm_cell_values] = {
    {0, 4}, {4, 4}, {8, 4}, {12, 1}, {13, 1}, {14, 1}, {15, 1}};

/// Layers over a sequence, each in one direction or both; or a single step. The output is the
/// sequence of hidden states, then the last hidden state of each layer and direction, then those of
/// an LSTM's cells.
struct recurrent_shape {
  recurrent_cell cell{};
  int steps = 1;
  int batch = 1;
  int input{}, hidden{};
  int layers = 1, directions = 1;
  int batch_first{};  // 1: the batch is the first axis of the sequences, else the second one
  int is_cell{};      // 1: one step, without the sequence in the output
  int has_state{};    // 1: the initial state is the second input, in the order of the output; 0:
                      // zeros

  /// How many rows of weights an element of the hidden state has.
  [[nodiscard]] constexpr int gates() const {
    return cell == recurrent_cell::lstm ? 4 : cell == recurrent_cell::gru ? 3 : 1;
  }
  /// How many layers in one direction there are.
  [[nodiscard]] constexpr int cells() const { return layers * directions; }
  [[nodiscard]] constexpr int inputs_of(int layer) const {
    return layer == 0 ? input : directions * hidden;
  }
  [[nodiscard]] constexpr int sequence_elements() const {
    return is_cell != 0 ? 0 : steps * batch * directions * hidden;
  }
  [[nodiscard]] constexpr int state_elements() const {
    return (cell == recurrent_cell::lstm ? 2 : 1) * cells() * batch * hidden;
  }

  /// The distance from a row of a sequence to that of the next sequence in the batch, and to that
  /// of the next step.
  [[nodiscard]] constexpr int rows_to_next_in_batch() const { return batch_first != 0 ? steps : 1; }
  [[nodiscard]] constexpr int rows_to_next_step() const { return batch_first != 0 ? 1 : batch; }
  /// The step that is computed as number i: the second of two directions goes backwards.
  [[nodiscard]] constexpr int step_of(int in_cell, int i) const {
    return in_cell % directions == 1 ? steps - 1 - i : i;
  }

  /// Of lstm_observed: how many values are observed in a cell in one step, and in all cells and
  /// steps.
  [[nodiscard]] constexpr std::size_t observed_elements() const {
    constexpr observed_part last = observed_in_cell[lstm_cell_values - 1];
    return static_cast<std::size_t>(last.first + last.count) * static_cast<std::size_t>(batch) *
           static_cast<std::size_t>(hidden);
  }
  [[nodiscard]] constexpr std::size_t all_observed_elements() const {
    return static_cast<std::size_t>(cells()) * static_cast<std::size_t>(steps) *
           observed_elements();
  }

  friend constexpr bool operator==(const recurrent_shape&, const recurrent_shape&) = default;
};

}  // namespace ctq
