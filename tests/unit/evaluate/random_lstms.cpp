// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random statically quantized LSTMs: compiled kernels, run by the interpreter, have the bytes of
// the custom modules that an evaluator runs.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare_evaluator.hpp"
#include "ctq/backends/native.hpp"
#include "ctq/core/isa.hpp"
#include "ctq/evaluate/lstm/quantizable_lstm.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "kernels/samples.hpp"

using namespace ctq;

namespace {

template <class Activation, class Weight>
constexpr mapping_view all_of = mapping_v<qconfig_mapping<global<qconfig<Activation, Weight>>>>;
constexpr mapping_view mappings[] = {
    all_of<min_max_observer<>, per_channel_min_max_observer<>>,
    all_of<moving_average_min_max_observer<{.reduce_range = true}>,
           min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}>>};

/// x, h0 and c0 or zeros, an LSTM, and perhaps a second one that continues from its state.
struct network {
  recurrent_options options{};
  int steps{}, batch{};
  bool has_state = false, is_followed = false;
  dynamic_graph<stage::traced> g{};

  [[nodiscard]] int directions() const { return options.bidirectional ? 2 : 1; }
  [[nodiscard]] shape state_shape() const {
    return {options.num_layers * directions(), batch, options.hidden_size};
  }
  [[nodiscard]] shape sequence(int features) const {
    return options.batch_first ? shape{batch, steps, features} : shape{steps, batch, features};
  }
  [[nodiscard]] int item(const char* name, int of, int index, shape s) {
    return g.add({.name = name,
                  .op = op::getitem.id(),
                  .attrs = attributes{getitem_options{.index = {index}}},
                  .shape = s},
                 of);
  }

  void write() {
    std::vector<int> reads{
        g.add({.name = "x", .op = nn::placeholder.id(), .shape = sequence(options.input_size)},
              nullptr, 0)};
    for (const char* name : {"h0", "c0"})
      if (has_state)
        reads.push_back(
            g.add({.name = name, .op = nn::placeholder.id(), .shape = state_shape()}, nullptr, 0));
    const shape out = sequence(directions() * options.hidden_size);
    shape pair = state_shape();
    pair = {2, pair[0], pair[1], pair[2]};
    int lstm =
        g.add({.name = "lstm", .op = nn::lstm.id(), .attrs = attributes{options}, .shape = out},
              reads.data(), static_cast<int>(reads.size()));
    int y = item("y", lstm, 0, out);
    int state = item("state", lstm, 1, pair);
    if (is_followed) {
      recurrent_options second = options;
      second.input_size = directions() * options.hidden_size;
      const int both[] = {y, state};
      lstm =
          g.add({.name = "second", .op = nn::lstm.id(), .attrs = attributes{second}, .shape = out},
                both, 2);
      y = item("z", lstm, 0, out);
      state = item("state2", lstm, -1, pair);
    }
    const int outputs[] = {y, item("h", state, 0, state_shape()),
                           item("c", state, 1, state_shape())};
    g.add({.name = "out", .op = nn::output.id()}, outputs, 3);
  }
};

network random_network(samples::generator& random) {
  network n;
  n.options.input_size = random.between(1, 9);
  n.options.hidden_size =
      random.between(0, 3) == 0 ? random.between(30, 70) : random.between(1, 20);
  n.options.num_layers = random.between(1, 3);
  n.options.bidirectional = random.between(0, 1) == 1;
  n.options.batch_first = random.between(0, 1) == 1;
  n.options.bias = random.between(0, 3) > 0;
  n.options.dropout = random.between(0, 3) == 0 ? 0.5F : 0.0F;
  n.steps = random.between(1, 5);
  n.batch = random.between(1, 4);
  n.has_state = random.between(0, 1) == 1;
  n.is_followed = random.between(0, 2) == 0;
  n.write();
  return n;
}

/// The observed and the quantized forms of the LSTMs of a network, for evaluators.
struct lstm_forms {
  std::map<std::string, std::unique_ptr<observed_lstm>> observed{};
  std::map<std::string, std::unique_ptr<quantized_lstm>> quantized{};

  lstm_forms(const network& n, const module_state& modules, const qconfig_record& qconfig,
             semantics s) {
    for (const char* name : {"lstm", "second"}) {
      custom_module_source from{name, qconfig, {}, {}};
      for (const auto& v : modules.attributes_of(name))
        from.modules.set_option("", v.name, v.given);
      from.modules.set_option("", "batch_first", n.options.batch_first != 0);
      auto made = observed_lstm::make(from, s);
      if (!n.is_followed && name == std::string("second")) continue;
      REQUIRE_MESSAGE(made.has_value(), made.error().message());
      observed[name] = *std::move(made);
    }
  }
  void convert() {
    for (const auto& [name, form] : observed) quantized[name] = *quantized_lstm::make(*form, name);
  }
};

/// Elements of the size of the first one.
weights random_weights(const network& n, std::mt19937& bits) {
  std::normal_distribution<float> normal;
  std::vector<weight_tensor> all;
  for (int i = 0; i < n.g.size(); ++i)
    for (const parameter& p : parameters_of(n.g.view()[i])) {
      std::size_t count = 1;
      for (const int extent : p.shape) count *= static_cast<std::size_t>(extent);
      weight_tensor t{p.name, p.shape, std::vector<float>(count)};
      for (float& v : t.values) v = 0.4F * normal(bits);
      all.push_back(std::move(t));
    }
  return weights{std::move(all)};
}

std::vector<node_value> random_inputs(const network& n, std::mt19937& bits) {
  std::normal_distribution<float> normal;
  std::vector<node_value> all;
  for (int i = 0; i < (n.has_state ? 3 : 1); ++i) {
    const shape s = n.g.nodes[static_cast<std::size_t>(i)].shape;
    float_ops::tensor t{{s.extent, s.extent + s.rank}, std::vector<float>(numel(s))};
    for (float& v : t.data) v = normal(bits);
    all.emplace_back(std::move(t));
  }
  return all;
}

template <class Kernels>
std::vector<float> interpreted(graph_view<stage::lowered> g, const weights& w,
                               const std::vector<qparams>& all, const mapping_view& mapping,
                               const std::vector<node_value>& inputs) {
  auto made = interpreter<Kernels>::make(g, w, all, backend_v<native>, mapping);
  REQUIRE_MESSAGE(made.has_value(), made.error().message());
  std::vector<float_ops::value> real;
  for (const node_value& v : inputs) real.push_back(v.real());
  std::vector<const void*> in;
  for (const auto& v : real) in.push_back(v.get_if<float_ops::tensor>()->data.data());
  std::vector<float> result;
  std::vector<std::vector<float>> parts;
  for (const model_tensor& t : made->schedule().outputs) parts.emplace_back(numel(t.shape));
  std::vector<void*> out;
  for (auto& p : parts) out.push_back(p.data());
  made->run(std::span(in), std::span(out));
  for (const auto& p : parts) result.insert(result.end(), p.begin(), p.end());
  return result;
}

void check(samples::generator& random, unsigned seed) {
  const semantics s = random.between(0, 1) == 0 ? semantics::torch_2_1 : semantics::torch_1_13;
  const mapping_view& mapping = mappings[random.between(0, 1)];
  const network n = random_network(random);
  CAPTURE(n.options.hidden_size);
  CAPTURE(n.options.num_layers);
  CAPTURE(n.directions());
  CAPTURE(n.has_state);
  CAPTURE(n.is_followed);
  std::mt19937 bits{seed};
  const weights w = random_weights(n, bits);
  const module_state modules = small::state_of(w);

  const prepare_options told{.semantics = s,
                             .custom = {.custom_modules = {&lstm_custom_module, 1}}};
  const auto fused = fuse(n.g.view(), backend_v<native>, {.semantics = s});
  const auto prepared = prepare_graph(fused.view(), backend_v<native>, mapping, told);
  const auto reference = convert_graph(prepared.view(), backend_v<native>, mapping,
                                       {.semantics = s, .prepared = told});
  const auto lowered = lower(reference.view(), {.semantics = s});
  for (const diagnostic* d : {&prepared.problem, &reference.problem, &lowered.problem})
    REQUIRE_MESSAGE(!d->any(), d->message());

  lstm_forms forms(n, modules, mapping.entries[0].qconfig, s);
  observer_set observers(s);
  evaluator<stage::prepared> calibrate(
      prepared.view(), modules,
      {.semantics = s, .observers = &observers, .implementation = small::calls_of(forms.observed)});
  for (int i = 0; i < 2; ++i) {
    const auto seen = calibrate.run(random_inputs(n, bits));
    REQUIRE_MESSAGE(seen.has_value(), seen.error().message());
  }
  forms.convert();

  model_qparams qparams;
  std::vector<ctq::qparams> all(static_cast<std::size_t>(lowered.observers));
  for (int i = 0; i < prepared.size(); ++i) {
    const node& module = prepared.view()[i];
    if (const auto found = observers.qparams(module.observer);
        found && module.op == q::activation_post_process.id()) {
      qparams.activations[module.observer] = *found;
      all[static_cast<std::size_t>(module.observer)] = qparams_of(*found);
    }
    if (!has_inner_observers(module)) continue;
    const auto own = forms.observed.at(std::string(module.name))->qparams();
    REQUIRE(own.size() == static_cast<std::size_t>(descriptors::lstm_observers(module.attrs)));
    for (int k = 0; k < descriptors::lstm_observers(module.attrs); ++k) {
      std::string path;
      append_lstm_observer(path, n.directions(), k);
      REQUIRE(own.contains(path));
      all[static_cast<std::size_t>(module.observer + k)] = qparams_of(own.at(path));
    }
  }

  const std::vector<node_value> inputs = random_inputs(n, bits);
  evaluator<stage::lowered> run(
      lowered.view(), modules,
      {.semantics = s, .qparams = &qparams, .implementation = small::calls_of(forms.quantized)});
  const auto values = run.run(inputs);
  REQUIRE_MESSAGE(values.has_value(), values.error().message());
  std::vector<float> wanted;
  const float_ops::value outputs = values->back().real();
  for (const float_ops::value& v : *outputs.get_if<float_ops::list>()) {
    const auto& data = v.get_if<float_ops::tensor>()->data;
    wanted.insert(wanted.end(), data.begin(), data.end());
  }
  CHECK(interpreted<reference_kernels>(lowered.view(), w, all, mapping, inputs) == wanted);
  CHECK(interpreted<fast_kernels>(lowered.view(), w, all, mapping, inputs) == wanted);
}

}  // namespace

TEST_CASE("random statically quantized LSTMs have the bytes of the evaluator") {
  samples::for_each_seed(samples::seeds(60), check);
}
