// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/evaluate/calibrated_qparams.hpp"
#include "ctq/evaluate/custom_modules.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/evaluate/lstm/cell_graphs.hpp"
#include "ctq/evaluate/lstm/lstm_weights.hpp"
#include "ctq/evaluate/lstm/sequences.hpp"
#include "ctq/evaluate/observer_set.hpp"
#include "ctq/ops/recurrent.hpp"
#include "ctq/passes/lstm_outputs.hpp"

// The statically quantized LSTM: PyTorch's torch.ao.nn.quantizable.LSTM, which is observed, and
// torch.ao.nn.quantized.LSTM, as a custom module of graphs that an evaluator runs.
//
//   prepare_options options{.custom = {.custom_modules = {&lstm_custom_module, 1}}};
//   custom_module_set custom({quantizable_lstm()});

namespace ctq {

namespace lstm_parts {

/// Hidden state and cell, [batch, hidden].
struct cell_state {
  node_value h, c;
};

/// The cells of an LSTM in one form, and the order in which they run.
template <stage Stage>
class lstm_layers {
 public:
  /// The graph must outlive this.
  lstm_layers(lstm_weights weights, graph_view<Stage> cell) : w_(std::move(weights)), cell_(cell) {}

  lstm_layers(const lstm_layers&) = delete;
  lstm_layers& operator=(const lstm_layers&) = delete;
  ~lstm_layers() = default;

  /// Adds the next cell. What the options point to must outlive this.
  void add_cell(evaluation_options options) {
    const module_state& its = w_.cells[cells_.size()].modules;
    cells_.emplace_back(cell_, its, std::move(options));
  }

  [[nodiscard]] const lstm_weights& weights() const { return w_; }

  /// Returns (output, (h, c)), as nn.LSTM does.
  ///   given  the sequence, or it and the initial h and c, which may be a tuple
  /// Errors  other inputs, integers and floats mixed; those of the cells
  [[nodiscard]] result<node_value> run(const std::vector<node_value>& given) {
    std::vector<node_value> inputs;
    for (const node_value& v : given) {
      const std::vector<node_value> one{v};
      const std::vector<node_value>& all = v.items() == nullptr ? one : *v.items();
      inputs.insert(inputs.end(), all.begin(), all.end());
    }
    if (inputs.size() != 1 && inputs.size() != 3)
      return fail({}, "takes a sequence, or a sequence, h and c");
    const float_ops::extents shape = extents_of(inputs[0]);
    if (shape.size() != 3 || shape[2] != w_.input || shape[0] < 1 || shape[1] < 1)
      return fail({}, "takes a sequence of [steps, batch, " + std::to_string(w_.input) +
                          "], or with the batch first");
    node_value sequence = w_.batch_first ? swapped(inputs[0]) : inputs[0];
    const int batch = shape[w_.batch_first ? 0 : 1];
    auto states = initial(inputs, batch);
    if (!states) return unexpected{states.error()};
    const auto directions = static_cast<std::size_t>(w_.directions);
    for (std::size_t first = 0; first < cells_.size(); first += directions) {
      std::vector<node_value> outputs;
      for (std::size_t d = 0; d < directions; ++d) {
        auto out = run_cell(first + d, sequence, (*states)[first + d]);
        if (!out) return out;
        outputs.push_back(*std::move(out));
      }
      auto both = joined(outputs, 2);
      if (!both) return both;
      sequence = *std::move(both);
    }
    auto last = last_states(*states);
    if (!last) return last;
    return node_value(
        std::vector<node_value>{w_.batch_first ? swapped(sequence) : sequence, *std::move(last)});
  }

 private:
  /// The initial state of each cell, given or zeros.
  [[nodiscard]] result<std::vector<cell_state>> initial(const std::vector<node_value>& inputs,
                                                        int batch) const {
    const bool on_integers = inputs[0].integers() != nullptr;
    const float_ops::extents all{static_cast<int>(cells_.size()), batch, w_.hidden};
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      if (extents_of(inputs[i]) != all)
        return fail({}, "takes h and c of [" + std::to_string(all[0]) + ", " +
                            std::to_string(batch) + ", " + std::to_string(w_.hidden) + "]");
      if ((inputs[i].integers() != nullptr) != on_integers)
        return fail({}, "takes h and c quantized if the sequence is, else in float");
    }
    node_value zeros = float_ops::filled({batch, w_.hidden});
    if (on_integers)  // as in PyTorch: of scale 1 and zero point 0
      zeros = quantized_tensor{{}, float_ops::filled<std::uint8_t>({batch, w_.hidden})};
    std::vector<cell_state> states;
    for (int i = 0; i < all[0]; ++i)
      states.push_back(inputs.size() == 1
                           ? cell_state{zeros, zeros}
                           : cell_state{element(inputs[1], i), element(inputs[2], i)});
    return states;
  }

  /// The hidden states of one cell, in the order of the sequence; `state` becomes the last one.
  [[nodiscard]] result<node_value> run_cell(std::size_t i, const node_value& sequence,
                                            cell_state& state) {
    const bool backwards = i % static_cast<std::size_t>(w_.directions) == 1;
    const int steps = extents_of(sequence)[0];
    std::vector<node_value> hidden(static_cast<std::size_t>(steps));
    for (int step = 0; step < steps; ++step) {
      const int t = backwards ? steps - 1 - step : step;
      const auto values = cells_[i].run({element(sequence, t), state.h, state.c});
      if (!values) return fail(w_.cells[i].path, values.error().message());
      const argument_list out = cell_.args_of(cell_.size() - 1);
      state = {(*values)[static_cast<std::size_t>(out[0])],
               (*values)[static_cast<std::size_t>(out[1])]};
      hidden[static_cast<std::size_t>(t)] = state.h;
    }
    return stacked(hidden);
  }

  /// (h, c), [layers · directions, batch, hidden]. PyTorch joins the directions of each layer
  /// before the layers, so that their qparams are those of the first one.
  [[nodiscard]] result<node_value> last_states(const std::vector<cell_state>& states) const {
    std::vector<node_value> pair;
    for (node_value cell_state::*which : {&cell_state::h, &cell_state::c}) {
      std::vector<node_value> layers;
      for (std::size_t i = 0; i < states.size(); i += static_cast<std::size_t>(w_.directions)) {
        std::vector<node_value> directions;
        for (int d = 0; d < w_.directions; ++d)
          directions.push_back(states[i + static_cast<std::size_t>(d)].*which);
        auto layer = stacked(directions);
        if (!layer) return layer;
        layers.push_back(*std::move(layer));
      }
      auto all = joined(layers, 0);
      if (!all) return all;
      pair.push_back(*std::move(all));
    }
    return node_value(std::move(pair));
  }

  lstm_weights w_;
  graph_view<Stage> cell_;
  std::deque<evaluator<Stage>> cells_{};  // by layer; of each layer the directions
};

}  // namespace lstm_parts

/// An LSTM that computes in float and observes the values in its cells. Each cell has its own
/// observers, which see all steps in time.
class observed_lstm : public custom_module_form {
 public:
  /// Errors  as read_lstm; a qconfig whose activations are not statically quantized to quint8
  [[nodiscard]] static result<std::unique_ptr<observed_lstm>> make(const custom_module_source& from,
                                                                   semantics s = {}) {
    const observer_args& activation = from.qconfig.activation.args;
    if (activation.dtype != quint8 || activation.is_dynamic)
      return fail(from.path,
                  "a quantizable LSTM takes a qconfig with activations of quint8 that "
                  "are statically quantized");
    auto weights = lstm_parts::read_lstm(from.modules.attributes_of(""), from.path);
    if (!weights) return unexpected{weights.error()};
    std::unique_ptr<observed_lstm> made(new observed_lstm(*std::move(weights), from.qconfig, s));
    if (made->graphs_->problem().any())
      return fail(from.path, std::string(made->graphs_->problem().message()));
    return made;
  }

  [[nodiscard]] result<node_value> forward(const std::vector<node_value>& inputs) override {
    return layers_.run(inputs);
  }

  /// The qparams of the observers, by the path in PyTorch's quantizable LSTM of the module whose
  /// output they see: layers.0.layer_fw.cell.igates. Those that have seen nothing have none.
  [[nodiscard]] std::map<std::string, tensor_qparams> qparams() const {
    std::map<std::string, tensor_qparams> all;
    for (std::size_t i = 0; i < observers_.size(); ++i)
      for (int o = 0; o < lstm_parts::observed_count; ++o)
        if (const auto seen = observers_[i].qparams(o))
          all[layers_.weights().cells[i].path + "." +
              std::string(lstm_parts::observed_modules[o])] = *seen;
    return all;
  }

 private:
  friend class quantized_lstm;

  observed_lstm(lstm_parts::lstm_weights weights, const qconfig_record& qconfig, semantics s)
      : semantics_(s),
        graphs_(std::make_shared<lstm_parts::cell_graphs>(qconfig, weights.hidden)),
        layers_(std::move(weights), graphs_->prepared().view()) {
    for (std::size_t i = 0; i < layers_.weights().cells.size(); ++i)
      layers_.add_cell({.semantics = s, .observers = &observers_.emplace_back(s)});
  }

  semantics semantics_;
  std::shared_ptr<lstm_parts::cell_graphs> graphs_;
  std::deque<observer_set> observers_{};  // by cell
  lstm_parts::lstm_layers<stage::prepared> layers_;
};

/// An LSTM on integers, made from an observed one: reads and returns quint8.
class quantized_lstm : public custom_module_form {
 public:
  /// Errors  an LSTM that has observed nothing; as calibrated_qparams, with the path
  [[nodiscard]] static result<std::unique_ptr<quantized_lstm>> make(const observed_lstm& from,
                                                                    const std::string& path) {
    std::unique_ptr<quantized_lstm> made(new quantized_lstm(from));
    for (const observer_set& seen : from.observers_) {
      if (seen.find(0) == nullptr) return fail(path, "the LSTM has observed nothing: calibrate it");
      auto qparams = calibrated_qparams(from.graphs_->prepared().view(), seen);
      if (!qparams) return fail(path + ", " + qparams.error().place, qparams.error().cause);
      made->layers_.add_cell({.semantics = from.semantics_,
                              .qparams = &made->qparams_.emplace_back(*std::move(qparams))});
    }
    return made;
  }

  [[nodiscard]] result<node_value> forward(const std::vector<node_value>& inputs) override {
    if (!inputs.empty() && inputs[0].integers() == nullptr)
      return fail({}, "a quantized LSTM reads quantized sequences");
    return layers_.run(inputs);
  }

 private:
  explicit quantized_lstm(const observed_lstm& from)
      : graphs_(from.graphs_), layers_(from.layers_.weights(), graphs_->lowered().view()) {}

  std::shared_ptr<lstm_parts::cell_graphs> graphs_;
  std::deque<model_qparams> qparams_{};  // by cell
  lstm_parts::lstm_layers<stage::lowered> layers_;
};

/// The functions that make both, for a custom_module_set.
///   s  the semantics of the evaluators
[[nodiscard]] inline custom_module_functions quantizable_lstm(semantics s = {}) {
  using form = custom_module_functions::form;
  return {.float_class = nn::lstm.id(),
          .from_float = [s](const custom_module_source& from) -> result<form> {
            auto made = observed_lstm::make(from, s);
            if (!made) return unexpected{made.error()};
            return form(*std::move(made));
          },
          .from_observed = [](custom_module_form& from,
                              const custom_module_source& source) -> result<form> {
            auto made = quantized_lstm::make(static_cast<observed_lstm&>(from), source.path);
            if (!made) return unexpected{made.error()};
            return form(*std::move(made));
          }};
}

}  // namespace ctq
