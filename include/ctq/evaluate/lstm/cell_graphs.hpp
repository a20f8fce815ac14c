// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <initializer_list>
#include <string_view>

#include "ctq/graph/graph.hpp"
#include "ctq/ops/activations.hpp"
#include "ctq/ops/arithmetic.hpp"
#include "ctq/ops/custom_modules/quantizable_lstm.hpp"
#include "ctq/ops/linear.hpp"
#include "ctq/ops/views.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/spec/observer.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// A cell of PyTorch's quantizable LSTM as a graph, observed and on integers: one linear layer for
// the input and one for the hidden state, and the arithmetic of the gates op by op.

namespace ctq::lstm_parts {

/// The modules of a cell whose outputs are observed, by the number of the observer. Observers of
/// larger numbers have fixed qparams.
inline constexpr auto& observed_modules = lstm_cell_modules;
inline constexpr int observed_count = lstm_cell_values;

/// The graph of a cell with the observers that PyTorch's prepare inserts, and its lowered form.
/// Inputs: x, h, c; outputs: the next h and c.
/// Source  PyTorch torch/ao/nn/quantizable/modules/rnn.py, LSTMCell
class cell_graphs {
 public:
  cell_graphs(const qconfig_record& qconfig, int hidden)
      : mapping_{.level = mapping_level::global, .quantizes = true, .qconfig = qconfig} {
    prepared_.observers = observed_count;
    write_prepared(hidden);
    convert_options options;
    options.prepared.quantized_dtype = dtype_;
    options.prepared.custom.input_quantized_indexes = {all, 3};
    options.prepared.custom.output_quantized_indexes = {all, 2};
    reference_ = convert_graph(prepared_.view(), {}, {&mapping_, 1}, options);
    lowered_ = lower(reference_.view(), {.only_with_kernels = false});
  }
  cell_graphs(const cell_graphs&) = delete;
  cell_graphs& operator=(const cell_graphs&) = delete;
  ~cell_graphs() = default;

  [[nodiscard]] const dynamic_graph<stage::prepared>& prepared() const { return prepared_; }
  [[nodiscard]] const dynamic_graph<stage::lowered>& lowered() const { return lowered_; }
  /// Why the cell cannot be quantized.
  [[nodiscard]] const diagnostic& problem() const { return reference_.problem; }

 private:
  static constexpr int all[] = {0, 1, 2};
  static constexpr dtype dtype_ = quint8;
  // The qparams of the outputs of sigmoid's and tanh's kernels.
  using zero_to_one = fixed_qparams_observer<{.quant_min = 0,
                                              .quant_max = 255,
                                              .scale = sigmoid_qparams.scale,
                                              .zero_point = sigmoid_qparams.zero_point}>;
  using minus_one_to_one = fixed_qparams_observer<{.quant_min = 0,
                                                   .quant_max = 255,
                                                   .scale = tanh_qparams.scale,
                                                   .zero_point = tanh_qparams.zero_point}>;
  static constexpr observer_record of_sigmoid = zero_to_one::value;
  static constexpr observer_record of_tanh = minus_one_to_one::value;

  void write_prepared(int hidden) {
    const attributes gates{linear_options{.out_features = 4 * hidden}};
    const int x = input("x");
    const int h = input("h");
    const int c = input("c");
    const int from_input = observed(0, op(observed_modules[0], nn::linear.id(), {x}, gates));
    const int from_hidden = observed(1, op(observed_modules[1], nn::linear.id(), {h}, gates));
    const int sum = observed(2, op(observed_modules[2], op::add.id(), {from_input, from_hidden}));
    const int parts = prepared_.add(
        {.name = "parts", .op = fn::chunk.id(), .attrs = attributes{chunk_options{4, 1}}}, sum);
    const int input_gate = gate("input_gate", parts, 0, fn::sigmoid.id(), of_sigmoid);
    const int forget_gate = gate("forget_gate", parts, 1, fn::sigmoid.id(), of_sigmoid);
    const int cell_gate = gate("cell_gate", parts, 2, fn::tanh.id(), of_tanh);
    const int out_gate = gate("out_gate", parts, 3, fn::sigmoid.id(), of_sigmoid);
    const int kept = observed(3, op(observed_modules[3], op::mul.id(), {forget_gate, c}));
    const int added = observed(4, op(observed_modules[4], op::mul.id(), {input_gate, cell_gate}));
    const int next_c = observed(5, op(observed_modules[5], op::add.id(), {kept, added}));
    const int squashed = fixed(op("tanh_cy", fn::tanh.id(), {next_c}), of_tanh);
    const int next_h = observed(6, op(observed_modules[6], op::mul.id(), {out_gate, squashed}));
    const int outputs[] = {next_h, next_c};
    prepared_.add({.name = "output", .op = nn::output.id()}, outputs, 2);
  }

  int input(std::string_view name) {
    return prepared_.add({.name = name, .op = nn::placeholder.id(), .dtype = dtype_}, nullptr, 0);
  }

  int op(std::string_view name, op_id which, std::initializer_list<int> reads,
         const attributes& a = {}) {
    return prepared_.add(
        {.name = name,
         .op = which,
         .attrs = a,
         .choice = {.qconfig = 0, .pattern = -1, .dtype_config = 0, .observed = true}},
        reads.begin(), static_cast<int>(reads.size()));
  }

  /// A gate: a part of the sum, and its activation.
  int gate(std::string_view name, int parts, int index, op_id activation,
           const observer_record& range) {
    const int part = prepared_.add({.name = "part",
                                    .number = index,
                                    .op = op::getitem.id(),
                                    .attrs = attributes{getitem_options{.index = {index}}}},
                                   parts);
    return fixed(op(name, activation, {part}), range);
  }

  /// The observer after a node.
  int observed(int number, int of) { return observer(number, of, mapping_.qconfig.activation); }
  int fixed(int of, const observer_record& range) {
    return observer(prepared_.observers, of, range);
  }
  int observer(int number, int of, const observer_record& record) {
    if (number >= prepared_.observers) prepared_.observers = number + 1;
    return prepared_.add({.name = "activation_post_process",
                          .number = number,
                          .op = q::activation_post_process.id(),
                          .observer = number,
                          .observer_config = &record},
                         of);
  }

  mapping_entry mapping_;
  dynamic_graph<stage::prepared> prepared_;
  dynamic_graph<stage::reference> reference_;
  dynamic_graph<stage::lowered> lowered_;
};

}  // namespace ctq::lstm_parts
