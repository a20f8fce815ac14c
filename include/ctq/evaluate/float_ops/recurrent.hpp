// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/shapes/sequence_shapes.hpp"
#include "ctq/evaluate/float_ops/concatenations.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/kernels/layer_functions.hpp"
#include "ctq/evaluate/float_ops/recurrent_steps.hpp"
#include "ctq/ops/shape_checks.hpp"

// Recurrent networks: single cells, and layers over a sequence, forwards and backwards.

namespace ctq::float_ops {

namespace recurring {

/// Transposes the first two axes.
inline tensor swapped(const tensor& in) {
  return copy(in, permuted(strided_of(in.shape), {1, 0, 2}));
}

/// The suffix of the names of a cell's weights.
inline std::string suffix_of(int layer, bool is_reverse) {
  return "_l" + std::to_string(layer) + (is_reverse ? "_reverse" : "");
}
inline std::string suffix_of(const recurrent_shape& s, int cell) {
  if (s.is_cell != 0) return {};
  return suffix_of(cell / s.directions, cell % s.directions == 1);
}

inline weights weights_of(operands& from, const std::string& suffix) {
  const auto named = [&](const char* name) { return from.floats_or_null(name + suffix); };
  return {named("weight_ih"), named("weight_hh"), named("bias_ih"), named("bias_hh")};
}

/// The given initial state, or zeros.
///   shape       (layers * directions, batch, hidden), of a single cell (batch, hidden)
///   is_batched  else `given` has no axis of the batch
inline tensor initial(operands& from, const value& given, const extents& shape, bool is_batched) {
  const auto* t = given.get_if<tensor>();
  if (t == nullptr) {
    from.require(given.is<none>(), "the state is not a tensor");
    return filled(shape);
  }
  extents expected = shape;
  if (!is_batched) expected.erase(expected.end() - 2);
  from.require(t->shape == expected, "the state has another shape");
  return {shape, t->data};
}

/// The initial state. That of an LSTM is a pair, two arguments, or one tensor.
inline value state_given(operands& from, bool is_pair) {
  const value hx = from.any("hx");
  if (from.has("cx") && !from.is_none("cx")) return list{hx, from.any("cx")};
  const auto* both = hx.get_if<tensor>();
  if (!is_pair || both == nullptr || both->shape.empty() || both->shape[0] != 2) return hx;
  return list{value(at(*both, 0)), value(at(*both, 1))};
}

/// Checks that the initial state is a pair for an LSTM, and not a pair for other cells; `initial`
/// checks the tensors.
inline void check_state(operands& from, const value& given, bool is_pair) {
  const auto* const parts = given.get_if<list>();
  if (!is_pair) from.require(parts == nullptr, "the state is not a tensor");
  if (is_pair)
    from.require(given.is<none>() || (parts != nullptr && parts->size() == 2),
                 "the state is not a pair of tensors");
}

/// The cell of an op that has one, or two that its nonlinearity chooses from.
inline recurrent_cell cell_of(operands& from, recurrent_cell kind) {
  if (kind != recurrent_cell::rnn_tanh) return kind;
  const std::string name{from.text("nonlinearity")};
  from.require(name == "tanh" || name == "relu",
               "nonlinearity = '" + name + "' is neither 'tanh' nor 'relu'");
  return name == "relu" ? recurrent_cell::rnn_relu : kind;
}

/// What a network returns: the sequence (none of a single cell), and the last state of all cells,
/// (layers * directions, batch, hidden); c of an LSTM alone.
struct network_output {
  tensor sequence{};
  state last{};
};

/// The network by a kernel; nullopt if there is none, or the weights do not fit.
///   sequence  (steps, batch, input), or batch first, as s says
inline std::optional<network_output> by_kernel(operands& from, recurrent_shape s,
                                               const tensor& sequence, const state& first) {
  const layer_functions& by = from.layers();
  using shape_rules::countable;  // kernels count elements in int
  if (by.recurrent == nullptr || !countable(s.steps, s.batch, s.directions, s.gates(), s.hidden) ||
      !countable(s.layers, s.batch, s.directions, s.gates(), s.hidden))
    return {};
  s.input = sequence.shape.back();
  std::vector<recurrent_product> products;
  for (int cell = 0; cell < s.cells(); ++cell) {
    const std::string suffix = suffix_of(s, cell);
    const weights w = weights_of(from, suffix);
    if (!check(s.cell, w).empty() || w.hidden() != s.hidden ||
        w.ih->shape[1] != s.inputs_of(cell / s.directions))
      return {};
    const auto bias = [&](const tensor* t, const char* name) {
      return t == nullptr ? value() : from.any(name + suffix);
    };
    products.push_back({from.any("weight_ih" + suffix), bias(w.bias_ih, "bias_ih")});
    products.push_back({from.any("weight_hh" + suffix), bias(w.bias_hh, "bias_hh")});
  }
  std::vector<float> before = first.h.data;
  if (s.cell == recurrent_cell::lstm)
    before.insert(before.end(), first.c.data.begin(), first.c.data.end());
  s.has_state = 1;
  const auto all = by.recurrent(by.state, s, sequence.data, before, products);
  if (!all) return {};
  auto next = all->begin();
  const auto take = [&next](const extents& shape) {
    const auto begin = std::exchange(next, next + static_cast<std::ptrdiff_t>(numel(shape)));
    return tensor{shape, {begin, next}};
  };
  network_output out;
  if (s.is_cell == 0)
    out.sequence = take({sequence.shape[0], sequence.shape[1], s.directions * s.hidden});
  out.last.h = take(first.h.shape);
  if (s.cell == recurrent_cell::lstm) out.last.c = take(first.c.shape);
  return out;
}

/// The same in the loops of float_ops, with the steps as the first axis.
inline result<network_output> by_steps(operands& from, const recurrent_shape& s, tensor sequence,
                                       const state& first) {
  network_output out{.last = {{first.h.shape, {}}, {first.h.shape, {}}}};
  for (int layer = 0; layer < s.layers; ++layer) {
    tensor both;
    for (int direction = 0; direction < s.directions; ++direction) {
      const int cell = layer * s.directions + direction;
      const weights w = weights_of(from, suffix_of(s, cell));
      const std::string problem = check(s.cell, w);
      if (!problem.empty() || w.hidden() != s.hidden)
        return from.failure(problem.empty() ? "the layers have different sizes" : problem);
      state now{at(first.h, static_cast<std::size_t>(cell)),
                at(first.c, static_cast<std::size_t>(cell))};
      auto read = run(s.cell, sequence, now, w, direction == 1);
      if (!read) return from.failure(read.error().cause);
      both = direction == 0 ? *std::move(read) : *joining::cat<float>({&both, &*read}, 2);
      tensor &h = out.last.h, &c = out.last.c;
      h.data.insert(h.data.end(), now.h.data.begin(), now.h.data.end());
      c.data.insert(c.data.end(), now.c.data.begin(), now.c.data.end());
    }
    sequence = std::move(both);
  }
  out.sequence = std::move(sequence);
  return out;
}

}  // namespace recurring

namespace implementation {

/// Returns (output, h_n), for an LSTM (output, (h_n, c_n)).
template <recurrent_cell Kind>
result<value> recurrent_layers(operands& from) {
  using namespace recurring;
  constexpr bool is_lstm = Kind == recurrent_cell::lstm;
  tensor sequence = from.floats("input");
  const value given = state_given(from, is_lstm);
  const bool unbatched = rank(sequence.shape) == 2;
  recurrent_shape s{.cell = cell_of(from, Kind),
                    .layers = from.integer("num_layers"),
                    .directions = from.flag("bidirectional") ? 2 : 1,
                    .batch_first = from.flag("batch_first") && !unbatched ? 1 : 0};
  const int projected = from.integer("proj_size");
  from.require(projected == 0, "cannot have proj_size = " + std::to_string(projected) + " in ctq");
  from.require(unbatched || rank(sequence.shape) == 3, "the input needs two or three axes");
  from.require(s.layers > 0, "needs a layer");
  const weights first = weights_of(from, "_l0");
  const std::string problem = check(s.cell, first);
  from.require(problem.empty(), problem);
  from.require(weights_of(from, suffix_of(s.layers - 1, s.directions == 2)).ih != nullptr,
               "has no weights for num_layers = " + std::to_string(s.layers));
  if (from.failed()) return from.failure();
  if (unbatched) sequence.shape.insert(sequence.shape.begin() + 1, 1);
  s.steps = sequence.shape[s.batch_first == 0 ? 0 : 1];
  s.batch = sequence.shape[s.batch_first == 0 ? 1 : 0];
  s.hidden = first.hidden();
  const extents shape{s.cells(), s.batch, s.hidden};
  const auto* pair = given.get_if<list>();
  check_state(from, given, is_lstm);
  if (from.failed()) return from.failure();
  const state before{initial(from, pair == nullptr ? given : (*pair)[0], shape, !unbatched),
                     initial(from, pair == nullptr ? value() : (*pair)[1], shape, !unbatched)};
  if (from.failed()) return from.failure();
  auto out = by_kernel(from, s, sequence, before);
  if (!out) {
    auto computed = by_steps(from, s, s.batch_first != 0 ? swapped(sequence) : sequence, before);
    if (!computed) return unexpected{computed.error()};
    out = *std::move(computed);
    if (s.batch_first != 0) out->sequence = swapped(out->sequence);
  }
  auto& [h, c] = out->last;
  if (unbatched)
    for (tensor* t : {&out->sequence, &h, &c})
      if (!t->shape.empty()) t->shape.erase(t->shape.begin() + 1);
  const value last = is_lstm ? value(list{std::move(h), std::move(c)}) : value(std::move(h));
  return value(list{std::move(out->sequence), last});
}

/// Returns h, for an LSTM (h, c).
template <recurrent_cell Kind>
result<value> single_cell(operands& from) {
  using namespace recurring;
  constexpr bool is_lstm = Kind == recurrent_cell::lstm;
  tensor x = from.floats("input");
  const value given = state_given(from, is_lstm);
  const recurrent_cell kind = cell_of(from, Kind);
  const weights w = weights_of(from, "");
  const std::string problem = check(kind, w);
  from.require(problem.empty(), problem);
  from.require(rank(x.shape) == 1 || rank(x.shape) == 2, "the input needs one or two axes");
  if (from.failed()) return from.failure();
  const bool unbatched = rank(x.shape) == 1;
  if (unbatched) x.shape.insert(x.shape.begin(), 1);
  const extents shape{x.shape[0], w.hidden()};
  const auto* pair = given.get_if<list>();
  check_state(from, given, is_lstm);
  if (from.failed()) return from.failure();
  const state before{initial(from, pair == nullptr ? given : (*pair)[0], shape, !unbatched),
                     initial(from, pair == nullptr ? value() : (*pair)[1], shape, !unbatched)};
  if (from.failed()) return from.failure();
  const recurrent_shape s{.cell = kind, .batch = shape[0], .hidden = shape[1], .is_cell = 1};
  auto out = by_kernel(from, s, x, before);
  if (!out) {
    auto after = step(kind, x, before, w);
    if (!after) return from.failure(after.error().cause);
    out = network_output{.last = *std::move(after)};
  }
  auto& [h, c] = out->last;
  if (unbatched) h.shape = c.shape = {w.hidden()};
  if (is_lstm) return value(list{std::move(h), std::move(c)});
  return value(std::move(h));
}

inline constexpr std::string_view cell_inputs = "input, hx=None, cx=None";
inline constexpr std::string_view layer_parameters =
    "input, hx=None, num_layers=1, nonlinearity='tanh', bias=True, batch_first=False, dropout=0.0, "
    "bidirectional=False, proj_size=0";
inline constexpr std::string_view cell_parameters =
    "input, hx=None, bias=True, nonlinearity='tanh'";

inline constexpr float_op recurrents[] = {
    {"lstm", layer_parameters, recurrent_layers<recurrent_cell::lstm>, cell_inputs},
    {"gru", layer_parameters, recurrent_layers<recurrent_cell::gru>, cell_inputs},
    {"rnn", layer_parameters, recurrent_layers<recurrent_cell::rnn_tanh>, cell_inputs},
    {"lstm_cell", cell_parameters, single_cell<recurrent_cell::lstm>, cell_inputs},
    {"gru_cell", cell_parameters, single_cell<recurrent_cell::gru>, cell_inputs},
    {"rnn_cell", cell_parameters, single_cell<recurrent_cell::rnn_tanh>, cell_inputs},
};

}  // namespace implementation
}  // namespace ctq::float_ops
