// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/no_contract.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/concatenations.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/linear.hpp"

// Recurrent networks: single cells, and layers over a sequence, forwards and backwards.

namespace ctq::float_ops {

namespace recurring {

enum class cell : unsigned char { rnn_tanh, rnn_relu, lstm, gru };

/// The number of rows of weights for each element of the hidden state.
[[nodiscard]] constexpr int gates(cell c) { return c == cell::lstm ? 4 : c == cell::gru ? 3 : 1; }

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

inline std::string check(cell kind, const weights& w) {
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
inline result<state> step(cell kind, const tensor& x, const state& before, const weights& w) {
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
      case cell::rnn_tanh: h = functions::tanh(both(0)); break;
      case cell::rnn_relu: h = functions::relu(both(0)); break;
      case cell::lstm: {
        const float kept = functions::sigmoid(both(1)) * after.c.data[i];
        const float added = functions::sigmoid(both(0)) * functions::tanh(both(2));
        after.c.data[i] = no_contract(kept) + no_contract(added);
        h = functions::sigmoid(both(3)) * functions::tanh(after.c.data[i]);
        break;
      }
      case cell::gru: {
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
inline result<tensor> run(cell kind, const tensor& sequence, state& s, const weights& w,
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

/// Transposes the first two axes.
inline tensor swapped(const tensor& in) {
  return copy(in, permuted(strided_of(in.shape), {1, 0, 2}));
}

inline weights weights_of(operands& from, const std::string& suffix) {
  const auto named = [&](const char* name) { return from.floats_or_null(name + suffix); };
  return {named("weight_ih"), named("weight_hh"), named("bias_ih"), named("bias_hh")};
}

/// The given initial state (layers * directions, batch, hidden), or zeros.
inline tensor initial(operands& from, const value& given, const extents& shape) {
  const auto* t = given.get_if<tensor>();
  if (t == nullptr) {
    from.require(given.is<none>(), "the state is not a tensor");
    return filled(shape);
  }
  tensor s = *t;
  if (rank(s.shape) == 2) s.shape.insert(s.shape.begin() + 1, 1);
  from.require(s.shape == shape, "the state has another shape");
  return s;
}

/// The initial state. That of an LSTM is a pair, two arguments, or one tensor.
inline value state_given(operands& from, bool is_pair) {
  const value hx = from.any("hx");
  if (from.has("cx") && !from.is_none("cx")) return list{hx, from.any("cx")};
  const auto* both = hx.get_if<tensor>();
  if (!is_pair || both == nullptr || both->shape.empty() || both->shape[0] != 2) return hx;
  return list{value(at(*both, 0)), value(at(*both, 1))};
}

}  // namespace recurring

namespace implementation {

/// Returns (output, h_n), for an LSTM (output, (h_n, c_n)).
template <recurring::cell Kind>
result<value> recurrent(operands& from) {
  using namespace recurring;
  tensor sequence = from.floats("input");
  const value given = recurring::state_given(from, Kind == recurring::cell::lstm);
  const int layers = from.integer("num_layers"), directions = from.flag("bidirectional") ? 2 : 1;
  const bool batch_first = from.flag("batch_first");
  const bool unbatched = rank(sequence.shape) == 2;
  cell kind = Kind;
  if (Kind == cell::rnn_tanh && from.text("nonlinearity") == "relu") kind = cell::rnn_relu;
  const int projected = from.integer("proj_size");
  from.require(projected == 0, "cannot have proj_size = " + std::to_string(projected) + " in ctq");
  from.require(rank(sequence.shape) == 2 || rank(sequence.shape) == 3,
               "the input needs two or three axes");
  from.require(layers > 0, "needs a layer");
  const weights first = weights_of(from, "_l0");
  from.require(check(Kind, first).empty(), "needs the weights of each layer");
  if (from.failed()) return from.failure();
  if (unbatched) sequence.shape.insert(sequence.shape.begin() + 1, 1);
  if (batch_first && !unbatched) sequence = swapped(sequence);
  const extents shape{layers * directions, sequence.shape[1], first.hidden()};
  const auto* pair = given.get_if<list>();
  from.require(pair == nullptr || (Kind == cell::lstm && pair->size() == 2),
               "the state is not a pair of tensors");
  from.require(pair != nullptr || Kind != cell::lstm || given.is<none>(),
               "the state is not a pair of tensors");
  if (from.failed()) return from.failure();
  const tensor h0 = initial(from, pair == nullptr ? given : (*pair)[0], shape);
  const tensor c0 = initial(from, pair == nullptr ? value() : (*pair)[1], shape);
  if (from.failed()) return from.failure();
  tensor h{shape, {}}, c{shape, {}};
  for (int layer = 0; layer < layers; ++layer) {
    tensor out;
    for (int direction = 0; direction < directions; ++direction) {
      const weights w =
          weights_of(from, "_l" + std::to_string(layer) + (direction == 0 ? "" : "_reverse"));
      const std::string problem = check(kind, w);
      if (!problem.empty() || w.hidden() != first.hidden())
        return from.failure(problem.empty() ? "the layers have different sizes" : problem);
      const auto place = static_cast<std::size_t>(layer * directions + direction);
      state s{at(h0, place), at(c0, place)};
      auto read = run(kind, sequence, s, w, direction == 1);
      if (!read) return from.failure(read.error().cause);
      out = direction == 0 ? *std::move(read) : *joining::cat<float>({&out, &*read}, 2);
      h.data.insert(h.data.end(), s.h.data.begin(), s.h.data.end());
      c.data.insert(c.data.end(), s.c.data.begin(), s.c.data.end());
    }
    sequence = std::move(out);
  }
  if (batch_first && !unbatched) sequence = swapped(sequence);
  if (unbatched) {
    for (tensor* t : {&sequence, &h, &c}) t->shape.erase(t->shape.begin() + 1);
  }
  const value last =
      Kind == cell::lstm ? value(list{std::move(h), std::move(c)}) : value(std::move(h));
  return value(list{std::move(sequence), last});
}

/// Returns h, for an LSTM (h, c).
template <recurring::cell Kind>
result<value> recurrent_cell(operands& from) {
  using namespace recurring;
  tensor x = from.floats("input");
  const value given = recurring::state_given(from, Kind == recurring::cell::lstm);
  cell kind = Kind;
  if (Kind == cell::rnn_tanh && from.text("nonlinearity") == "relu") kind = cell::rnn_relu;
  const weights w = weights_of(from, "");
  const std::string problem = check(kind, w);
  from.require(problem.empty(), problem);
  from.require(rank(x.shape) == 1 || rank(x.shape) == 2, "the input needs one or two axes");
  if (from.failed()) return from.failure();
  const bool unbatched = rank(x.shape) == 1;
  if (unbatched) x.shape.insert(x.shape.begin(), 1);
  const extents shape{x.shape[0], w.hidden()};
  const auto* pair = given.get_if<list>();
  const auto state_of = [&](const value& v) {
    const auto* t = v.get_if<tensor>();
    if (t == nullptr) return filled(shape);
    from.require(t->data.size() == numel(shape), "the state has another shape");
    return tensor{shape, t->data};
  };
  from.require(pair == nullptr || pair->size() == 2, "the state is not a pair of tensors");
  if (from.failed()) return from.failure();
  const state before{state_of(pair == nullptr ? given : (*pair)[0]),
                     state_of(pair == nullptr ? value() : (*pair)[1])};
  if (from.failed()) return from.failure();
  auto after = step(kind, x, before, w);
  if (!after) return from.failure(after.error().cause);
  if (unbatched) after->h.shape = after->c.shape = {w.hidden()};
  if (Kind == cell::lstm) return value(list{std::move(after->h), std::move(after->c)});
  return value(std::move(after->h));
}

inline constexpr std::string_view cell_inputs = "input, hx=None, cx=None";
inline constexpr std::string_view layer_parameters =
    "input, hx=None, num_layers=1, nonlinearity='tanh', bias=True, batch_first=False, dropout=0.0, "
    "bidirectional=False, proj_size=0";
inline constexpr std::string_view cell_parameters =
    "input, hx=None, bias=True, nonlinearity='tanh'";

inline constexpr float_op recurrents[] = {
    {"lstm", layer_parameters, recurrent<recurring::cell::lstm>, cell_inputs},
    {"gru", layer_parameters, recurrent<recurring::cell::gru>, cell_inputs},
    {"rnn", layer_parameters, recurrent<recurring::cell::rnn_tanh>, cell_inputs},
    {"lstm_cell", cell_parameters, recurrent_cell<recurring::cell::lstm>, cell_inputs},
    {"gru_cell", cell_parameters, recurrent_cell<recurring::cell::gru>, cell_inputs},
    {"rnn_cell", cell_parameters, recurrent_cell<recurring::cell::rnn_tanh>, cell_inputs},
};

}  // namespace implementation
}  // namespace ctq::float_ops
