// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <string_view>

#include "ctq/ops/define_ops.hpp"

// Recurrent networks, which are quantized dynamically. Layers return a tuple, as in PyTorch: the
// sequence of hidden states, and the last one, for an LSTM with the last cell states; op::getitem
// selects from it. The initial state is zeros, or further inputs: h, for an LSTM h and c or a
// tensor of both.

namespace ctq {

struct recurrent_options {
  int input_size = 0;  // 0: as many as the input has
  int hidden_size{};
  int num_layers = 1;
  flag bias = true;
  flag batch_first = false;
  float dropout = 0.0F;  // without effect: of training alone
  flag bidirectional = false;
};

enum class rnn_nonlinearity : int { tanh, relu };

struct rnn_options {
  int input_size = 0;  // 0: as many as the input has
  int hidden_size{};
  int num_layers = 1;
  rnn_nonlinearity nonlinearity = rnn_nonlinearity::tanh;
  flag bias = true;
  flag batch_first = false;
  float dropout = 0.0F;  // without effect: of training alone
  flag bidirectional = false;
};

/// The options of a cell, which computes a single step.
struct recurrent_cell_options {
  int input_size = 0;  // 0: as many as the input has
  int hidden_size{};
  flag bias = true;
};

struct rnn_cell_options {
  int input_size = 0;  // 0: as many as the input has
  int hidden_size{};
  flag bias = true;
  rnn_nonlinearity nonlinearity = rnn_nonlinearity::tanh;
};

inline constexpr std::string_view rnn_nonlinearity_names[] = {"tanh", "relu"};
inline constexpr option_words_of rnn_nonlinearity_words{"rnn_nonlinearity",
                                                        {rnn_nonlinearity_names, 2}};

}  // namespace ctq

// clang-format off
#define CTQ_RECURRENT_OP(OP, identifier, module, options) \
  OP(nn, up_to_three_inputs, identifier, "torch.nn." module, options, identifier) \
  OP(nnqr, module_op, identifier, "torch.ao.nn.quantized.reference." module, no_options, none) \
  OP(q, pass_op, identifier##_dynamic, "torch.ao.nn.quantized.dynamic." module, options, q_##identifier)
#define CTQ_RECURRENT_OPS(OP) \
  CTQ_RECURRENT_OP(OP, lstm, "LSTM", recurrent_options) \
  CTQ_RECURRENT_OP(OP, lstm_cell, "LSTMCell", recurrent_cell_options) \
  CTQ_RECURRENT_OP(OP, gru, "GRU", recurrent_options) \
  CTQ_RECURRENT_OP(OP, gru_cell, "GRUCell", recurrent_cell_options) \
  CTQ_RECURRENT_OP(OP, rnn_cell, "RNNCell", rnn_cell_options) \
  OP(nn, up_to_three_inputs, rnn, "torch.nn.RNN", rnn_options, rnn)
// clang-format on

CTQ_RECURRENT_OPS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// The most layers of a network: op_parameters has space for the parameters of so many.
inline constexpr int most_recurrent_layers = 8;

/// The sizes that follow from options, without those of the input.
template <recurrent_cell Cell, class Options>
constexpr recurrent_shape recurrent_options_of(const attributes& a) {
  const auto o = a.as<Options>();
  recurrent_shape s{.cell = Cell, .input = o.input_size, .hidden = o.hidden_size, .is_cell = 1};
  if constexpr (requires { o.nonlinearity; })
    if (o.nonlinearity == rnn_nonlinearity::relu) s.cell = recurrent_cell::rnn_relu;
  if constexpr (requires { o.num_layers; }) {
    s.is_cell = 0;
    s.layers = o.num_layers;
    s.directions = o.bidirectional ? 2 : 1;
    s.batch_first = o.batch_first ? 1 : 0;
  }
  return s;
}

/// The same with the steps and the batch of an input.
constexpr recurrent_shape with_sequence(recurrent_shape s, const shape& in) {
  if (s.is_cell != 0) {
    s.batch = in.rank == 1 ? 1 : in[0];
  } else if (in.rank == 2) {
    s.steps = in[0];
  } else {
    s.steps = in[s.batch_first];
    s.batch = in[1 - s.batch_first];
  }
  return s;
}
template <recurrent_cell Cell, class Options>
constexpr kernel_signature::sizes recurrent_sizes(attributes a, shape in, shape) {
  return to_block<kernel_signature::sizes>(
      with_sequence(recurrent_options_of<Cell, Options>(a), in));
}

/// The output of a single LSTM cell is h and c as a list of two.
constexpr shape recurrent_output(recurrent_shape s, view<shape> in, int& input_size,
                                 diagnostic& d) {
  using namespace shape_rules;
  const bool is_lstm = s.cell == recurrent_cell::lstm;
  const int most = is_lstm ? 3 : 2;
  if (in.count < 1 || in.count > most) {
    complain(d, "takes 1 to ", most, " inputs, not ", in.count);
    return {};
  }
  const int rank = in[0].rank;
  if (rank != 3 - s.is_cell && rank != 2 - s.is_cell) {
    complain(d, "requires an input of ", 2 - s.is_cell, " or ", 3 - s.is_cell, " axes");
    show_input(d, in[0]);
    return {};
  }
  if (!settle(d, "input_size", input_size, in[0][rank - 1], in[0])) return {};
  if (s.hidden < 1 || s.layers < 1 || s.layers > most_recurrent_layers) {
    complain(d, "hidden_size is ", s.hidden, ", num_layers ", s.layers, ";\nlayers are 1 to ",
             most_recurrent_layers);
    return {};
  }
  s.input = input_size;
  s = with_sequence(s, in[0]);
  if (!countable(s.gates(), s.hidden)) {
    complain(d, "hidden_size is too large: ", s.hidden);
    return {};
  }
  if (!countable_weight(d, {s.gates() * s.hidden, s.input}) ||
      !countable_weight(d, {s.gates() * s.hidden, s.directions * s.hidden}))
    return {};
  if (!countable(s.steps, s.batch, s.directions, s.gates(), s.hidden) ||
      !countable(s.layers, s.batch, s.directions, s.gates(), s.hidden)) {
    complain(d, "more than 2^31 - 1 elements in\nthe gates of all steps or layers;");
    show_input(d, in[0]);
    return {};
  }
  std::size_t state = 0;
  for (int i = 1; i < in.count; ++i) state += numel(in[i]);
  if (in.count > 1 && state != static_cast<std::size_t>(s.state_elements())) {
    complain(d, "the state needs ", s.state_elements(), " elements");
    show_input(d, in[1]);
    return {};
  }
  shape out = in[0];
  out[rank - 1] = s.directions * s.hidden;
  if (s.is_cell == 0 || !is_lstm) return out;
  return rank == 1 ? shape{2, s.hidden} : shape{2, s.batch, s.hidden};
}
template <recurrent_cell Cell, class Options>
constexpr shape recurrent_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  auto o = a.as<Options>();
  const shape out = recurrent_output(recurrent_options_of<Cell, Options>(a), in, o.input_size, d);
  a = attributes{o};
  return out;
}

/// The sequence, or the last state: [layers * directions, batch, hidden], for an LSTM two of these.
constexpr strided_view recurrent_part(recurrent_shape s, const shape& first, int item) {
  if (item == 0) return contiguous_view(first, layout::nchw);
  if (item != 1) return {};
  s = with_sequence(s, first);
  shape state;
  if (s.cell == recurrent_cell::lstm) state[state.rank++] = 2;
  state[state.rank++] = s.cells();
  if (first.rank == 3) state[state.rank++] = s.batch;
  state[state.rank++] = s.hidden;
  strided_view v = contiguous_view(state, layout::nchw);
  v.offset = static_cast<int>(numel(first));
  return v;
}
template <recurrent_cell Cell, class Options>
constexpr strided_view recurrent_item(const attributes& a, const strided_view& first, int item) {
  return recurrent_part(recurrent_options_of<Cell, Options>(a), first.shape,
                        item < 0 ? item + 2 : item);
}

/// In PyTorch's order: two weights, then two biases.
inline constexpr const char* cell_parameter_names[4] = {"weight_ih", "weight_hh", "bias_ih",
                                                        "bias_hh"};

/// The names of parameters in each layer, first those of one direction, then those of the other.
/// (A list of literals: to compute them takes the compiler 2 MB.)
inline constexpr const char* recurrent_parameter_names[2 * most_recurrent_layers][4] = {
    {"weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"},
    {"weight_ih_l0_reverse", "weight_hh_l0_reverse", "bias_ih_l0_reverse", "bias_hh_l0_reverse"},
    {"weight_ih_l1", "weight_hh_l1", "bias_ih_l1", "bias_hh_l1"},
    {"weight_ih_l1_reverse", "weight_hh_l1_reverse", "bias_ih_l1_reverse", "bias_hh_l1_reverse"},
    {"weight_ih_l2", "weight_hh_l2", "bias_ih_l2", "bias_hh_l2"},
    {"weight_ih_l2_reverse", "weight_hh_l2_reverse", "bias_ih_l2_reverse", "bias_hh_l2_reverse"},
    {"weight_ih_l3", "weight_hh_l3", "bias_ih_l3", "bias_hh_l3"},
    {"weight_ih_l3_reverse", "weight_hh_l3_reverse", "bias_ih_l3_reverse", "bias_hh_l3_reverse"},
    {"weight_ih_l4", "weight_hh_l4", "bias_ih_l4", "bias_hh_l4"},
    {"weight_ih_l4_reverse", "weight_hh_l4_reverse", "bias_ih_l4_reverse", "bias_hh_l4_reverse"},
    {"weight_ih_l5", "weight_hh_l5", "bias_ih_l5", "bias_hh_l5"},
    {"weight_ih_l5_reverse", "weight_hh_l5_reverse", "bias_ih_l5_reverse", "bias_hh_l5_reverse"},
    {"weight_ih_l6", "weight_hh_l6", "bias_ih_l6", "bias_hh_l6"},
    {"weight_ih_l6_reverse", "weight_hh_l6_reverse", "bias_ih_l6_reverse", "bias_hh_l6_reverse"},
    {"weight_ih_l7", "weight_hh_l7", "bias_ih_l7", "bias_hh_l7"},
    {"weight_ih_l7_reverse", "weight_hh_l7_reverse", "bias_ih_l7_reverse", "bias_hh_l7_reverse"}};

constexpr op_parameters parameters_of(const recurrent_shape& s, bool bias) {
  const int rows = s.gates() * s.hidden;
  op_parameters all;
  for (int cell = 0; cell < s.cells(); ++cell) {
    const int which = s.directions == 2 ? cell : 2 * cell;
    const auto& names = s.is_cell != 0 ? cell_parameter_names : recurrent_parameter_names[which];
    all.item[all.count++] = {names[0], {rows, s.inputs_of(cell / s.directions)}};
    all.item[all.count++] = {names[1], {rows, s.hidden}};
    if (!bias) continue;
    all.item[all.count++] = {names[2], {rows}};
    all.item[all.count++] = {names[3], {rows}};
  }
  return all;
}
template <recurrent_cell Cell, class Options>
constexpr op_parameters recurrent_parameters(const attributes& a) {
  return parameters_of(recurrent_options_of<Cell, Options>(a), a.as<Options>().bias);
}

/// The dynamic form of a module.
template <recurrent_cell Cell, class Options>
constexpr op_descriptor recurrent_dynamic() {
  constexpr bool is_layer =
      !std::same_as<Options, recurrent_cell_options> && !std::same_as<Options, rnn_cell_options>;
  op_descriptor d;
  d.returns_tuple = is_layer || Cell == recurrent_cell::lstm;
  if (is_layer) d.tuple_item = &recurrent_item<Cell, Options>;
  d.parameters = &recurrent_parameters<Cell, Options>;
  d.schedule.how = schedule_as::recurrent;
  d.schedule.kernel = kernel::rnn_dynamic;
  d.schedule.sizes = &recurrent_sizes<Cell, Options>;
  return d;
}
template <recurrent_cell Cell, class Options>
constexpr op_descriptor recurrent_module(op_id dynamic_form) {
  op_descriptor d = recurrent_dynamic<Cell, Options>();
  d.infer_shape = &recurrent_shape_rule<Cell, Options>;
  d.weights = op_weights::quantizable;
  d.dynamic_form = dynamic_form;
  d.schedule.kernel = kernel::rnn;
  return d;
}

inline constexpr op_descriptor lstm =
    recurrent_module<recurrent_cell::lstm, recurrent_options>(&q::info_lstm_dynamic);
inline constexpr op_descriptor gru =
    recurrent_module<recurrent_cell::gru, recurrent_options>(&q::info_gru_dynamic);
inline constexpr op_descriptor lstm_cell =
    recurrent_module<recurrent_cell::lstm, recurrent_cell_options>(&q::info_lstm_cell_dynamic);
inline constexpr op_descriptor gru_cell =
    recurrent_module<recurrent_cell::gru, recurrent_cell_options>(&q::info_gru_cell_dynamic);
inline constexpr op_descriptor rnn_cell =
    recurrent_module<recurrent_cell::rnn_tanh, rnn_cell_options>(&q::info_rnn_cell_dynamic);
inline constexpr op_descriptor rnn =
    recurrent_module<recurrent_cell::rnn_tanh, rnn_options>(nullptr);
inline constexpr op_descriptor q_lstm =
    recurrent_dynamic<recurrent_cell::lstm, recurrent_options>();
inline constexpr op_descriptor q_gru = recurrent_dynamic<recurrent_cell::gru, recurrent_options>();
inline constexpr op_descriptor q_lstm_cell =
    recurrent_dynamic<recurrent_cell::lstm, recurrent_cell_options>();
inline constexpr op_descriptor q_gru_cell =
    recurrent_dynamic<recurrent_cell::gru, recurrent_cell_options>();
inline constexpr op_descriptor q_rnn_cell =
    recurrent_dynamic<recurrent_cell::rnn_tanh, rnn_cell_options>();

}  // namespace ctq::descriptors

CTQ_RECURRENT_OPS(CTQ_DESCRIBE_OP)
