// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/lstm/quantizable_lstm.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ctq/backends/native.hpp"
#include "ctq/evaluate/nested_model.hpp"
#include "ctq/graph/model.hpp"

using namespace ctq;
using namespace ctq::literals;
using float_ops::extents;
using float_ops::tensor;

namespace {

constexpr int steps_in_time = 4, batch = 2, features = 3, hidden = 5;

constexpr qconfig_record static_int8 =
    qconfig<min_max_observer<>,
            per_channel_min_max_observer<{.dtype = qint8,
                                          .qscheme = qscheme::per_channel_symmetric}>>::value;

tensor random_tensor(std::mt19937& bits, extents shape) {
  tensor t{std::move(shape), {}};
  std::uniform_real_distribution<float> some(-1.0F, 1.0F);
  for (std::size_t i = 0; i < float_ops::numel(t.shape); ++i) t.data.push_back(some(bits));
  return t;
}

/// The tensors of an nn.LSTM.
module_state lstm_modules(int layers, int directions, const std::string& prefix = "lstm.") {
  std::mt19937 bits(5);
  module_state m;
  for (int layer = 0; layer < layers; ++layer)
    for (int d = 0; d < directions; ++d) {
      const std::string end = "l" + std::to_string(layer) + (d == 0 ? "" : "_reverse");
      const int columns = layer == 0 ? features : directions * hidden;
      m.set_tensor(prefix + "weight_ih_" + end, random_tensor(bits, {4 * hidden, columns}));
      m.set_tensor(prefix + "weight_hh_" + end, random_tensor(bits, {4 * hidden, hidden}));
      m.set_tensor(prefix + "bias_ih_" + end, random_tensor(bits, {4 * hidden}));
      m.set_tensor(prefix + "bias_hh_" + end, random_tensor(bits, {4 * hidden}));
    }
  return m;
}

custom_module_source source_of(const module_state& m, bool batch_first = false) {
  custom_module_source from{"net.lstm", static_int8, {}, {}};
  for (const auto& v : m.attributes_of("lstm")) from.modules.set_option("", v.name, v.given);
  from.modules.set_option("", "batch_first", batch_first);
  return from;
}

tensor floats_of(const node_value& v) { return *v.real().get_if<tensor>(); }

/// output, h, c
std::vector<node_value> parts_of(const result<node_value>& tuple) {
  REQUIRE_MESSAGE(tuple.has_value(), tuple.error().message());
  const std::vector<node_value>& all = *tuple->items();
  return {all[0], (*all[1].items())[0], (*all[1].items())[1]};
}

double largest_difference(const tensor& a, const tensor& b) {
  REQUIRE(a.shape == b.shape);
  double most = 0.0;
  for (std::size_t i = 0; i < a.data.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a.data[i] - b.data[i])));
  return most;
}

node_value quantized(const tensor& x, double scale, std::int32_t zero_point) {
  return quantize(x, tensor_qparams{quint8, -1, {scale}, {zero_point}, {}});
}

std::string why(const result<node_value>& r) { return r ? "" : r.error().message(); }

struct both_forms {
  std::unique_ptr<observed_lstm> observed;
  std::unique_ptr<quantized_lstm> on_integers;
};

both_forms forms_of(const custom_module_source& from, const std::vector<node_value>& inputs) {
  both_forms f;
  auto observed = observed_lstm::make(from);
  REQUIRE_MESSAGE(observed.has_value(), observed.error().message());
  f.observed = *std::move(observed);
  REQUIRE(f.observed->forward(inputs).has_value());
  auto on_integers = quantized_lstm::make(*f.observed, from.path);
  REQUIRE(on_integers.has_value());
  f.on_integers = *std::move(on_integers);
  return f;
}

}  // namespace

TEST_CASE("the observed form computes what nn.LSTM does, the quantized one almost the same") {
  for (const auto& [layers, directions, batch_first] :
       {std::tuple{1, 1, false}, std::tuple{2, 2, true}, std::tuple{2, 1, false}}) {
    CAPTURE(layers);
    const module_state m = lstm_modules(layers, directions);
    std::mt19937 bits(3);
    const tensor x = random_tensor(bits, batch_first ? extents{batch, steps_in_time, features}
                                                     : extents{steps_in_time, batch, features});
    const tensor h = random_tensor(bits, {layers * directions, batch, hidden});
    const tensor c = random_tensor(bits, {layers * directions, batch, hidden});
    const both_forms f = forms_of(source_of(m, batch_first), {x, h, c});

    float_ops::python_call call{.positional = {x, float_ops::list{h, c}},
                                .attributes = m.attributes_of("lstm")};
    call.attributes.push_back({"hidden_size", hidden});
    call.attributes.push_back({"input_size", features});
    call.attributes.push_back({"num_layers", layers});
    call.attributes.push_back({"bidirectional", directions == 2});
    call.attributes.push_back({"batch_first", batch_first});
    const auto wanted = float_ops::call(nn::lstm.id(), std::move(call));
    REQUIRE_MESSAGE(wanted.has_value(), wanted.error().message());
    const auto& tuple = *wanted->get_if<float_ops::list>();
    const auto& state = *tuple[1].get_if<float_ops::list>();
    const tensor exact[] = {*tuple[0].get_if<tensor>(), *state[0].get_if<tensor>(),
                            *state[1].get_if<tensor>()};

    const auto in_float = parts_of(f.observed->forward({x, h, c}));
    const auto on_integers =
        parts_of(f.on_integers->forward({quantized(x, 2.0 / 255, 128), quantized(h, 2.0 / 255, 128),
                                         quantized(c, 2.0 / 255, 128)}));
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(largest_difference(floats_of(in_float[i]), exact[i]) < 1e-5);
      REQUIRE(on_integers[i].integers() != nullptr);
      // What is joined of several cells has the range of the first one and may be cut off.
      if (directions == 1 && (i == 0 || layers == 1))
        CHECK(largest_difference(floats_of(on_integers[i]), exact[i]) < 0.06);
      CHECK(largest_difference(floats_of(on_integers[i]), exact[i]) > 0.0);
    }
  }
}

TEST_CASE("each cell has its own seven observers, named as in PyTorch") {
  const module_state m = lstm_modules(2, 2);
  std::mt19937 bits(3);
  const auto observed = observed_lstm::make(source_of(m));
  REQUIRE(observed.has_value());
  CHECK((*observed)->qparams().empty());
  REQUIRE((*observed)->forward({random_tensor(bits, {steps_in_time, batch, features})}));
  const auto all = (*observed)->qparams();
  CHECK(all.size() == 4 * 7);
  REQUIRE(all.contains("layers.1.layer_bw.cell.fgate_cx_igate_cgate"));
  CHECK(all.at("layers.0.layer_fw.cell.gates").scale !=
        all.at("layers.0.layer_bw.cell.gates").scale);
  CHECK(all.at("layers.0.layer_fw.cell.ogate_cy").dtype == quint8);
}

TEST_CASE("the observers see all steps in time") {
  const module_state m = lstm_modules(1, 1);
  tensor x = float_ops::filled({2, 1, features});
  const auto of = [&] {
    const auto observed = observed_lstm::make(source_of(m));
    REQUIRE((*observed)->forward({x}));
    return (*observed)->qparams().at("layers.0.layer_fw.cell.igates");
  };
  const tensor_qparams of_zeros = of();
  x.data[0] = 50.0F;
  CHECK(of().scale[0] > 2.0 * of_zeros.scale[0]);
  x.data[0] = 0.0F;
  x.data.back() = 50.0F;
  CHECK(of().scale[0] > 2.0 * of_zeros.scale[0]);
}

TEST_CASE("without a state it begins with zeros") {
  const module_state m = lstm_modules(2, 1);
  std::mt19937 bits(3);
  const tensor x = random_tensor(bits, {steps_in_time, batch, features});
  const tensor zeros = float_ops::filled({2, batch, hidden});
  const both_forms f = forms_of(source_of(m), {x});
  const auto without = parts_of(f.observed->forward({x}));
  const auto with = parts_of(f.observed->forward({x, zeros, zeros}));
  CHECK(floats_of(without[0]).data == floats_of(with[0]).data);
  // On integers zeros have the scale 1, so that they are exact.
  const node_value q = quantized(x, 2.0 / 255, 128);
  const auto short_call = parts_of(f.on_integers->forward({q}));
  const auto long_call =
      parts_of(f.on_integers->forward({q, quantized(zeros, 1.0, 0), quantized(zeros, 1.0, 0)}));
  CHECK(short_call[0].integers()->int_repr() == long_call[0].integers()->int_repr());
  CHECK(short_call[2].integers()->int_repr() == long_call[2].integers()->int_repr());
}

TEST_CASE("a state may be a tuple, and the last state of one LSTM the first of another") {
  const module_state m = lstm_modules(1, 1);
  std::mt19937 bits(3);
  const tensor x = random_tensor(bits, {steps_in_time, batch, features});
  const both_forms f = forms_of(source_of(m), {x});
  const auto first = f.observed->forward({x});
  const node_value state = (*first->items())[1];
  const auto parts = parts_of(first);
  CHECK(floats_of(parts_of(f.observed->forward({x, state}))[0]).data ==
        floats_of(parts_of(f.observed->forward({x, parts[1], parts[2]}))[0]).data);
}

TEST_CASE("h and c have the qparams of the first layer, the output those of the last") {
  const module_state m = lstm_modules(2, 1);
  std::mt19937 bits(3);
  const tensor x = random_tensor(bits, {steps_in_time, batch, features});
  const both_forms f = forms_of(source_of(m), {x});
  const auto qparams = f.observed->qparams();
  const auto got = parts_of(f.on_integers->forward({quantized(x, 2.0 / 255, 128)}));
  CHECK(got[0].integers()->qparams == qparams.at("layers.1.layer_fw.cell.ogate_cy"));
  CHECK(got[1].integers()->qparams == qparams.at("layers.0.layer_fw.cell.ogate_cy"));
  CHECK(got[2].integers()->qparams == qparams.at("layers.0.layer_fw.cell.fgate_cx_igate_cgate"));
  CHECK(got[1].integers()->shape() == extents{2, batch, hidden});
}

TEST_CASE("inputs that do not fit are errors") {
  const module_state m = lstm_modules(1, 2);
  std::mt19937 bits(3);
  const tensor x = random_tensor(bits, {steps_in_time, batch, features});
  const tensor state = random_tensor(bits, {2, batch, hidden});
  const both_forms f = forms_of(source_of(m), {x});
  CHECK(why(f.observed->forward({})) == "takes a sequence, or a sequence, h and c");
  CHECK(why(f.observed->forward({x, state})) == "takes a sequence, or a sequence, h and c");
  CHECK(why(f.observed->forward({state})) ==
        "takes a sequence of [steps, batch, 3], or with the batch first");
  CHECK(why(f.observed->forward({float_ops::filled({0, 2, 3})})) ==
        "takes a sequence of [steps, batch, 3], or with the batch first");
  CHECK(why(f.observed->forward({x, state, float_ops::filled({1, batch, hidden})})) ==
        "takes h and c of [2, 2, 5]");
  const node_value q = quantized(x, 2.0 / 255, 128);
  CHECK(why(f.on_integers->forward({q, state, state})) ==
        "takes h and c quantized if the sequence is, else in float");
  CHECK(why(f.on_integers->forward({x})) == "a quantized LSTM reads quantized sequences");
}

TEST_CASE("an LSTM that cannot be quantized so") {
  const module_state m = lstm_modules(1, 1);
  const auto why_not = [](const custom_module_source& from) {
    const auto made = observed_lstm::make(from);
    return made ? "" : made.error().message();
  };
  custom_module_source from = source_of(m);
  CHECK(why_not(from).empty());
  from.qconfig.activation.args.dtype = qint8;
  const std::string wrong =
      "net.lstm: a quantizable LSTM takes a qconfig with activations of quint8 that are "
      "statically quantized";
  CHECK(why_not(from) == wrong);
  from.qconfig.activation = placeholder_observer<{.dtype = quint8, .is_dynamic = true}>::value;
  CHECK(why_not(from) == wrong);
  from.qconfig = static_int8;
  from.qconfig.activation.type = observer_class::noop;
  CHECK(why_not(from).starts_with("net.lstm: no scale and zero point come from"));
  CHECK(why_not({"net.lstm", static_int8, {}, {}}) ==
        "net.lstm: needs two matrices, weight_ih_l0 and weight_hh_l0");
  const auto observed = observed_lstm::make(source_of(m));
  const auto early = quantized_lstm::make(**observed, "net.lstm");
  REQUIRE_FALSE(early.has_value());
  CHECK(early.error().message() == "net.lstm: the LSTM has observed nothing: calibrate it");
  tensor x = float_ops::filled({steps_in_time, batch, features});
  x.data[0] = std::numeric_limits<float>::quiet_NaN();
  REQUIRE((*observed)->forward({x}));
  const auto of_nan = quantized_lstm::make(**observed, "net.lstm");
  REQUIRE_FALSE(of_nan.has_value());
  CHECK(of_nan.error().message() ==
        "net.lstm, node igates, calibration data: the observed values include NaN");
}

// ---- in a model

namespace {

constexpr auto net =
    model("x"_n = nn::placeholder({batch, steps_in_time, features}),
          "h"_n = nn::placeholder({1, batch, hidden}), "c"_n = nn::placeholder({1, batch, hidden}),
          "lstm"_n = nn::lstm("x"_n, "h"_n, "c"_n, {.hidden_size = hidden, .batch_first = true}),
          "y"_n = op::getitem("lstm"_n, {.index = {0}}),
          "fc"_n = nn::linear("y"_n, {.out_features = 2}), "out"_n = nn::output("fc"_n));

}  // namespace

TEST_CASE("as a custom module of a model in C++, whose options it has") {
  constexpr mapping_view mapping = mapping_v<qconfig_mapping<global<qconfig<
      min_max_observer<>,
      per_channel_min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_channel_symmetric}>>>>>;
  module_state modules = lstm_modules(1, 1);
  std::mt19937 bits(8);
  modules.set_tensor("fc.weight", random_tensor(bits, {2, hidden}));
  const std::vector<node_value> inputs{random_tensor(bits, {batch, steps_in_time, features}),
                                       random_tensor(bits, {1, batch, hidden}),
                                       random_tensor(bits, {1, batch, hidden})};
  // [lstm]
  const prepare_options options{.custom = {.custom_modules = {&lstm_custom_module, 1}}};
  nested_model m = prepare_model({net.view()}, backend_v<native>, mapping, options);
  convert_model(m, backend_v<native>);
  lower_model(m);

  custom_module_set custom({quantizable_lstm()});
  const status observed = custom.prepare(m.prepared.view(), mapping, options, modules);
  observer_set observers;
  evaluator<stage::prepared> calibrate(
      m.prepared.view(), modules, {.observers = &observers, .implementation = custom.observed()});
  const auto seen = calibrate.forward(inputs);  // for each sample

  const model_qparams qparams = calibrated_qparams(m.prepared.view(), observers).value_or_exit();
  const status converted = custom.convert(qparams);
  evaluator<stage::lowered> lowered(m.lowered.view(), modules,
                                    {.qparams = &qparams, .implementation = custom.quantized()});
  // [lstm]
  REQUIRE_FALSE(m.prepared.problem.any());
  REQUIRE_MESSAGE(observed.has_value(), observed.error().message());
  REQUIRE_MESSAGE(seen.has_value(), seen.error().message());
  REQUIRE(converted.has_value());
  CHECK(qparams.activations.size() == 4);  // of x, h, c and fc
  evaluator<stage::reference> reference(
      m.reference.view(), modules, {.qparams = &qparams, .implementation = custom.quantized()});
  const auto got = lowered.run(inputs);
  const auto defined = reference.run(inputs);
  REQUIRE_MESSAGE(got.has_value(), got.error().message());
  REQUIRE_MESSAGE(defined.has_value(), defined.error().message());
  const tensor exact = floats_of(*seen);
  CHECK(largest_difference(floats_of(got->back()), exact) < 0.05);
  CHECK(largest_difference(floats_of(got->back()), floats_of(defined->back())) < 0.01);
  // The layer reads the integers of the LSTM: no quantize stands between.
  const int fc = find(m.lowered.view(), "fc");
  CHECK(m.lowered.view().arg(fc, 0).op == op::getitem.id());
  CHECK((*got)[static_cast<std::size_t>(find(m.lowered.view(), "y"))].integers() != nullptr);
}
