// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "ctq/core/no_contract.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/shapes/sequence_shapes.hpp"
#include "ctq/evaluate/float_ops/linear.hpp"
#include "ctq/ops/rows/exponential_functions.hpp"

// Recurrent networks step by step, with products that accumulate in double.

namespace ctq::float_ops::recurring {

/// The number of rows of weights for each element of the hidden state.
[[nodiscard]] constexpr int gates(recurrent_cell c) { return recurrent_shape{.cell = c}.gates(); }

/// weight_ih (gates * hidden, input) · weight_hh (gates * hidden, hidden) · biases of their rows,
/// or null
struct weights {
  const tensor *ih{}, *hh{}, *bias_ih{}, *bias_hh{};

  [[nodiscard]] int hidden() const { return hh->shape[1]; }
};

/// h (batch, hidden); c (batch, hidden) for an LSTM, else empty.
struct state {
  tensor h, c;
};

inline std::string check(recurrent_cell kind, const weights& w) {
  if (w.ih == nullptr || w.hh == nullptr || rank(w.ih->shape) != 2 || rank(w.hh->shape) != 2)
    return "needs two matrices of weights";
  const int rows = gates(kind) * w.hidden();
  if (w.ih->shape[0] != rows || w.hh->shape[0] != rows)
    return "the weights do not fit the hidden size";
  for (const tensor* bias : {w.bias_ih, w.bias_hh})
    if (bias != nullptr && bias->data.size() != static_cast<std::size_t>(rows))
      return "the biases do not fit the hidden size";
  return {};
}

/// One time step for all rows of the batch.
/// Requires  as many rows in x as in `before`
inline result<state> step(recurrent_cell kind, const tensor& x, const state& before,
                          const weights& w) {
  const auto from_input = linear(x, *w.ih, w.bias_ih);
  if (!from_input) return unexpected{from_input.error()};
  const auto from_hidden = linear(before.h, *w.hh, w.bias_hh);
  if (!from_hidden) return unexpected{from_hidden.error()};
  const auto hidden = static_cast<std::size_t>(w.hidden());
  state after = before;
  for (std::size_t i = 0; i < after.h.data.size(); ++i) {
    const std::size_t row = i / hidden * hidden * static_cast<std::size_t>(gates(kind));
    const auto in = [&](std::size_t gate) {
      return from_input->data[row + gate * hidden + i % hidden];
    };
    const auto past = [&](std::size_t gate) {
      return from_hidden->data[row + gate * hidden + i % hidden];
    };
    const auto both = [&](std::size_t gate) { return in(gate) + past(gate); };
    namespace functions = descriptors::functions;
    float& h = after.h.data[i];
    switch (kind) {
      case recurrent_cell::rnn_tanh: h = functions::tanh(both(0)); break;
      case recurrent_cell::rnn_relu: h = functions::relu(both(0)); break;
      case recurrent_cell::lstm: {
        const float kept = functions::sigmoid(both(1)) * after.c.data[i];
        const float added = functions::sigmoid(both(0)) * functions::tanh(both(2));
        after.c.data[i] = no_contract(kept) + no_contract(added);
        h = functions::sigmoid(both(3)) * functions::tanh(after.c.data[i]);
        break;
      }
      case recurrent_cell::gru: {
        const float reset = functions::sigmoid(both(0)), update = functions::sigmoid(both(1));
        const float fresh = functions::tanh(in(2) + no_contract(reset * past(2)));
        h = fresh + no_contract(update * (h - fresh));
        break;
      }
    }
  }
  return after;
}

/// Element t of the outermost axis.
inline tensor at(const tensor& sequence, std::size_t t) {
  tensor one{{sequence.shape.begin() + 1, sequence.shape.end()}, {}};
  const std::size_t count = numel(one.shape);
  const auto begin = sequence.data.begin() + static_cast<std::ptrdiff_t>(t * count);
  one.data.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  return one;
}

/// Returns the sequence of hidden states and replaces `s` by the last state.
inline result<tensor> run(recurrent_cell kind, const tensor& sequence, state& s, const weights& w,
                          bool backwards) {
  const auto steps = static_cast<std::size_t>(sequence.shape[0]);
  tensor out = filled({sequence.shape[0], sequence.shape[1], w.hidden()});
  for (std::size_t i = 0; i < steps; ++i) {
    const std::size_t t = backwards ? steps - 1 - i : i;
    auto next = step(kind, at(sequence, t), s, w);
    if (!next) return unexpected{next.error()};
    s = *std::move(next);
    for (std::size_t x = 0; x < s.h.data.size(); ++x)
      out.data[t * s.h.data.size() + x] = s.h.data[x];
  }
  return out;
}

}  // namespace ctq::float_ops::recurring
