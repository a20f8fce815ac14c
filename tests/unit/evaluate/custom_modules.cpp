// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/custom_modules.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/backends/native.hpp"
#include "ctq/evaluate/calibrated_qparams.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/evaluate/nested_model.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/io/read_fx.hpp"

// An LSTM as PyTorch's quantizable LSTM: one linear layer for each gate and each of its inputs,
// with observers between all ops of a cell. Its observed form is the prepared graph of the cell,
// run once for each step in time; its quantized form is the lowered graph.

using namespace ctq;
using namespace ctq::literals;
using float_ops::tensor;

namespace {

constexpr int steps_in_time = 6, batch = 2, features = 3, hidden = 4;

constexpr auto cell = model(
    "x"_n = nn::placeholder({batch, features}), "h"_n = nn::placeholder({batch, hidden}),
    "c"_n = nn::placeholder({batch, hidden}), "ii"_n = nn::linear("x"_n, {.out_features = hidden}),
    "hi"_n = nn::linear("h"_n, {.out_features = hidden}), "i"_n = op::add("ii"_n, "hi"_n),
    "input_gate"_n = nn::sigmoid("i"_n), "if"_n = nn::linear("x"_n, {.out_features = hidden}),
    "hf"_n = nn::linear("h"_n, {.out_features = hidden}), "f"_n = op::add("if"_n, "hf"_n),
    "forget_gate"_n = nn::sigmoid("f"_n), "ig"_n = nn::linear("x"_n, {.out_features = hidden}),
    "hg"_n = nn::linear("h"_n, {.out_features = hidden}), "g"_n = op::add("ig"_n, "hg"_n),
    "cell_gate"_n = nn::tanh("g"_n), "io"_n = nn::linear("x"_n, {.out_features = hidden}),
    "ho"_n = nn::linear("h"_n, {.out_features = hidden}), "o"_n = op::add("io"_n, "ho"_n),
    "out_gate"_n = nn::sigmoid("o"_n), "fc"_n = op::mul("forget_gate"_n, "c"_n),
    "icg"_n = op::mul("input_gate"_n, "cell_gate"_n), "cy"_n = op::add("fc"_n, "icg"_n),
    "squashed"_n = nn::tanh("cy"_n), "hy"_n = op::mul("out_gate"_n, "squashed"_n),
    "out"_n = nn::output("hy"_n));

/// The rows of one gate of a tensor of four.
tensor gate_of(const float_ops::value& all, std::size_t gate) {
  const tensor& t = *all.get_if<tensor>();
  const std::size_t size = t.data.size() / 4;
  tensor part{t.shape,
              {t.data.begin() + static_cast<std::ptrdiff_t>(gate * size),
               t.data.begin() + static_cast<std::ptrdiff_t>((gate + 1) * size)}};
  part.shape[0] /= 4;
  return part;
}

/// What the layers of a cell own: parts of the tensors of nn.LSTM, whose gates are i, f, g, o.
module_state layers_of(const module_state& lstm) {
  module_state layers;
  std::vector<float_ops::named_value> all = lstm.attributes_of("");
  constexpr std::string_view gates = "ifgo";
  for (std::size_t g = 0; g < gates.size(); ++g)
    for (const auto& [from, at] : {std::pair{"i", "ih"}, std::pair{"h", "hh"}}) {
      const std::string layer = std::string(from) + gates[g];
      layers.set_tensor(layer + ".weight",
                        gate_of(*find(all, "weight_" + std::string(at) + "_l0"), g));
      layers.set_tensor(layer + ".bias", gate_of(*find(all, "bias_" + std::string(at) + "_l0"), g));
    }
  return layers;
}

/// What both forms have: the state goes from one step in time to the next.
template <stage Stage>
result<node_value> run_sequence(evaluator<Stage>& run, const node_value& sequence,
                                bool reads_integers) {
  const auto step_of = [](const auto& all, std::size_t t) {
    auto one = all;
    const std::size_t size = all.data.size() / steps_in_time;
    one.shape.erase(one.shape.begin());
    one.data.assign(all.data.begin() + static_cast<std::ptrdiff_t>(t * size),
                    all.data.begin() + static_cast<std::ptrdiff_t>((t + 1) * size));
    return one;
  };
  const graph_view<Stage> g = run.graph();
  node_value h = tensor{{batch, hidden}, std::vector<float>(batch * hidden)};
  node_value c = h;
  tensor out{{steps_in_time, batch, hidden}, {}};
  const float_ops::value real = sequence.real();
  for (std::size_t t = 0; t < steps_in_time; ++t) {
    node_value x = step_of(*real.get_if<tensor>(), t);
    if (const quantized_tensor* const q = sequence.integers(); q != nullptr && reads_integers)
      x = quantized_tensor{q->qparams, step_of(*q->elements().get_if<float_ops::byte_tensor>(), t)};
    const auto values = run.run({x, h, c});
    if (!values) return unexpected{values.error()};
    // Observers and dequantize change no value.
    h = values->back().real();
    c = (*values)[static_cast<std::size_t>(find(g, "cy"))].real();
    const float_ops::value now = h.real();
    const std::vector<float>& data = now.get_if<tensor>()->data;
    out.data.insert(out.data.end(), data.begin(), data.end());
  }
  return node_value(float_ops::value(
      float_ops::list{out, float_ops::value(float_ops::list{h.real(), c.real()})}));
}

constexpr int first[] = {0};

class observed_lstm : public custom_module_form {
 public:
  explicit observed_lstm(const custom_module_source& from)
      : mapping_{.level = mapping_level::global, .quantizes = true, .qconfig = from.qconfig},
        layers_(layers_of(from.modules)) {
    options_.policy = unsupported::skip;
    if (!from.qconfig.activation.args.is_dynamic)
      options_.custom.input_quantized_indexes = {first, 1};
    model_ = prepare_model({cell.view()}, backend_v<native>, {&mapping_, 1}, options_);
    run_.emplace(model_.prepared.view(), layers_, evaluation_options{.observers = &observers_});
  }

  result<node_value> forward(const std::vector<node_value>& inputs) override {
    ++calls;
    return run_sequence(*run_, inputs[0], false);
  }

  int calls = 0;

 private:
  friend class quantized_lstm;

  mapping_entry mapping_;
  module_state layers_;
  prepare_options options_;
  nested_model model_;
  observer_set observers_;
  std::optional<evaluator<stage::prepared>> run_;
};

class quantized_lstm : public custom_module_form {
 public:
  explicit quantized_lstm(observed_lstm& from)
      : mapping_(from.mapping_),
        layers_(from.layers_),
        reads_integers_(!from.options_.custom.input_quantized_indexes.empty()) {
    model_ = prepare_model({cell.view()}, backend_v<native>, {&mapping_, 1}, from.options_);
    convert_model(model_, backend_v<native>);
    lower_model(model_, {.only_with_kernels = false});
    qparams_ = calibrated_qparams(model_.prepared.view(), from.observers_).value_or_exit();
    run_.emplace(model_.lowered.view(), layers_, evaluation_options{.qparams = &qparams_});
  }

  result<node_value> forward(const std::vector<node_value>& inputs) override {
    const auto out = run_sequence(*run_, inputs[0], reads_integers_);
    if (!out || !reads_integers_) return out;
    const float_ops::value pair = out->real();
    const auto& all = *pair.get_if<float_ops::list>();
    const auto& state = *all[1].get_if<float_ops::list>();
    return node_value(std::vector<node_value>{
        as_integers(all[0], "hy"),
        std::vector<node_value>{as_integers(state[0], "hy"), as_integers(state[1], "cy")}});
  }

  [[nodiscard]] int integer_layers() const {
    int count = 0;
    for (const node& n : model_.lowered.nodes)
      count += n.op == nn::linear.id()->descriptor->integer_form ||
                       n.op == nn::linear.id()->descriptor->dynamic_form
                   ? 1
                   : 0;
    return count;
  }

 private:
  /// The values of a node again as integers.
  [[nodiscard]] node_value as_integers(const float_ops::value& v, std::string_view name) const {
    const int observer = model_.lowered.nodes[find(model_.lowered.view(), name)].observer;
    return quantize(*v.get_if<tensor>(), qparams_.activations.at(observer));
  }

  mapping_entry mapping_;
  module_state layers_;
  bool reads_integers_;
  nested_model model_;
  model_qparams qparams_;
  std::optional<evaluator<stage::lowered>> run_;
};

// ---- the model around

constexpr op_info observed_class{op_kind::module, "torch.ao.nn.quantizable.LSTM"};
constexpr op_info quantized_class{op_kind::module, "torch.ao.nn.quantized.LSTM"};

constexpr std::string_view rows = R"([
  {"name": "x", "op": "placeholder", "target": "x"},
  {"name": "lstm", "op": "call_module", "target": "lstm", "args": [{"n": "x"}],
   "module": {"type": "nn.LSTM"}},
  {"name": "getitem", "op": "call_function", "target": "operator.getitem",
   "args": [{"n": "lstm"}, 0]},
  {"name": "fc", "op": "call_module", "target": "fc", "args": [{"n": "getitem"}],
   "module": {"type": "nn.Linear"}},
  {"name": "output", "op": "output", "target": "output", "args": [{"n": "fc"}]}])";

tensor random_tensor(std::mt19937& bits, float_ops::extents shape) {
  tensor t{std::move(shape), {}};
  std::uniform_real_distribution<float> some(-1.0F, 1.0F);
  for (std::size_t i = 0; i < float_ops::numel(t.shape); ++i) t.data.push_back(some(bits));
  return t;
}

module_state random_modules() {
  std::mt19937 bits(7);
  module_state m;
  const std::pair<const char*, float_ops::extents> tensors[] = {
      {"lstm.weight_ih_l0", {4 * hidden, features}},
      {"lstm.weight_hh_l0", {4 * hidden, hidden}},
      {"lstm.bias_ih_l0", {4 * hidden}},
      {"lstm.bias_hh_l0", {4 * hidden}},
      {"fc.weight", {2, hidden}},
      {"fc.bias", {2}}};
  for (const auto& [name, shape] : tensors) m.set_tensor(name, random_tensor(bits, shape));
  m.set_option("lstm", "input_size", features);
  m.set_option("lstm", "hidden_size", hidden);
  return m;
}

using static_int8 =
    qconfig<min_max_observer<>,
            min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}>>;
using dynamic_int8 =
    qconfig<placeholder_observer<{.dtype = quint8, .is_dynamic = true}>,
            min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}>>;

using form_result = result<custom_module_functions::form>;

struct outcome {
  double error = 1.0;  // of the quantized output, relative to the float one
  int layers = 0;
  int calibrations = 0;
};

/// Makes the forms of the LSTM, and notes what they have done.
custom_module_functions lstm_functions(quant_type type, outcome& noted) {
  return {.float_class = nn::lstm.id(),
          .type = type,
          .from_float = [](const custom_module_source& from) -> form_result {
            return custom_module_functions::form(std::make_unique<observed_lstm>(from));
          },
          .from_observed = [&noted](custom_module_form& from,
                                    const custom_module_source& source) -> form_result {
            CHECK(source.path == "lstm");
            auto& observed = static_cast<observed_lstm&>(from);
            auto quantized = std::make_unique<quantized_lstm>(observed);
            noted.calibrations = observed.calls;
            noted.layers = quantized->integer_layers();
            return custom_module_functions::form(std::move(quantized));
          }};
}

/// The root of the mean squared error, relative to that of the exact values.
double relative_error(const tensor& values, const tensor& exact) {
  double noise = 0.0, signal = 0.0;
  for (std::size_t i = 0; i < exact.data.size(); ++i) {
    const double x = exact.data[i];
    noise += std::pow(values.data[i] - x, 2);
    signal += x * x;
  }
  return std::sqrt(noise / signal);
}

template <class QConfig>
outcome quantize_lstm(quant_type type) {
  outcome all;
  const auto graph = read_fx(rows);
  REQUIRE(graph.has_value());
  const module_state modules = random_modules();
  constexpr mapping_view mapping = mapping_v<qconfig_mapping<global<QConfig>>>;
  const custom_module observed[] = {
      {.float_class = nn::lstm.id(), .observed = &observed_class, .type = type}};
  const custom_module quantized[] = {
      {.observed = &observed_class, .quantized = &quantized_class, .type = type}};
  const prepare_options options{.policy = unsupported::skip,
                                .custom = {.custom_modules = {observed, 1}}};
  nested_model m = prepare_model({graph->view()}, backend_v<native>, mapping, options);
  convert_model(m, backend_v<native>, {.custom = {.custom_modules = {quantized, 1}}});
  lower_model(m, {.only_with_kernels = false});
  CHECK(is_same_op(m.lowered.nodes[find(m.lowered.view(), "lstm")].op, &quantized_class));

  custom_module_set custom({lstm_functions(type, all)});
  REQUIRE(custom.prepare(m.prepared.view(), mapping, options, modules));
  observer_set observers;
  evaluator<stage::prepared> calibrate(
      m.prepared.view(), modules, {.observers = &observers, .implementation = custom.observed()});
  std::mt19937 bits(3);
  const tensor x = random_tensor(bits, {steps_in_time, batch, features});
  for (int i = 0; i < 3; ++i) REQUIRE(calibrate.run({x}));
  const model_qparams qparams = calibrated_qparams(m.prepared.view(), observers).value_or_exit();
  REQUIRE(custom.convert(qparams));

  evaluator<stage::traced> in_float(graph->view(), modules, {});
  evaluator<stage::lowered> on_integers(
      m.lowered.view(), modules, {.qparams = &qparams, .implementation = custom.quantized()});
  const auto wanted = in_float.run({x});
  const auto got = on_integers.run({x});
  REQUIRE_MESSAGE(wanted.has_value(), wanted.error().message());
  REQUIRE_MESSAGE(got.has_value(), got.error().message());
  const float_ops::value exact = wanted->back().real();
  const float_ops::value values = got->back().real();
  all.error = relative_error(*values.get_if<tensor>(), *exact.get_if<tensor>());
  return all;
}

TEST_CASE("an LSTM is a custom module: observed in floats, then with linear gates on integers") {
  const outcome o = quantize_lstm<static_int8>(quant_type::static_);
  CHECK(o.layers == 8);
  CHECK(o.calibrations == 3);
  CHECK(o.error > 0.0);
  CHECK(o.error < 0.05);
}

TEST_CASE("the same with dynamic quantization") {
  const outcome o = quantize_lstm<dynamic_int8>(quant_type::dynamic);
  CHECK(o.layers == 8);
  CHECK(o.error > 0.0);
  CHECK(o.error < 0.05);
}

// ---- a module with one tensor

constexpr op_info twice_class{op_kind::module, "my.Twice"};
constexpr op_info observed_twice{op_kind::module, "my.ObservedTwice"};
constexpr op_info quantized_twice{op_kind::module, "my.QuantizedTwice"};

class twice : public custom_module_form {
 public:
  explicit twice(std::optional<tensor_qparams> output = {}) : output_(std::move(output)) {}
  result<node_value> forward(const std::vector<node_value>& inputs) override {
    if (output_ && inputs[0].integers() == nullptr) return fail("twice", "reads no integers");
    tensor x = *inputs[0].real().get_if<tensor>();
    for (float& v : x.data) v *= 2.0F;
    if (output_) return node_value(quantize(x, *output_));
    return node_value(std::move(x));
  }

 private:
  std::optional<tensor_qparams> output_;
};

constexpr mapping_view twice_mapping = mapping_v<qconfig_mapping<global<static_int8>>>;
constexpr custom_module twice_classes[] = {{&twice_class, &observed_twice, &quantized_twice}};
constexpr prepare_options twice_options{.custom = {.custom_modules = {twice_classes, 1}}};

/// x, twice, out.
nested_model prepared_twice() {
  dynamic_graph<stage::traced> g;
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  g.add({.name = "twice", .op = &twice_class}, 0);
  g.add({.name = "out", .op = nn::output.id()}, 1);
  return prepare_model({g.view()}, backend_v<native>, twice_mapping, twice_options);
}

TEST_CASE("a static module reads integers, and has the qparams of the observer after it") {
  nested_model m = prepared_twice();
  convert_model(m, backend_v<native>);
  const module_state none;
  custom_module_set custom(
      {{.float_class = &twice_class,
        .from_float = [](const custom_module_source&) -> form_result {
          return custom_module_functions::form(std::make_unique<twice>());
        },
        .from_observed = [](custom_module_form&,
                            const custom_module_source& source) -> form_result {
          if (!source.output) return fail(source.path, "has observed nothing");
          return custom_module_functions::form(std::make_unique<twice>(source.output));
        }}});
  REQUIRE(custom.prepare(m.prepared.view(), twice_mapping, twice_options, none));

  const auto early = custom.quantized()(m.reference.nodes[2], {}, {});
  REQUIRE(early.has_value());
  CHECK(early->error().cause == "the custom module is not converted");
  const status without = custom.convert({});
  CHECK(without.error().message() == "twice: has observed nothing");

  observer_set observers;
  evaluator<stage::prepared> calibrate(
      m.prepared.view(), none, {.observers = &observers, .implementation = custom.observed()});
  REQUIRE(calibrate.run({tensor{{1, 3}, {0.0F, 0.5F, 1.0F}}}));
  const model_qparams qparams = calibrated_qparams(m.prepared.view(), observers).value_or_exit();
  REQUIRE(custom.convert(qparams));
  evaluator<stage::reference> int8(m.reference.view(), none,
                                   {.qparams = &qparams, .implementation = custom.quantized()});
  const auto values = int8.run({tensor{{1, 3}, {0.0F, 0.25F, 1.0F}}});
  REQUIRE_MESSAGE(values.has_value(), values.error().message());
  const quantized_tensor* const q = (*values)[2].integers();
  REQUIRE(q != nullptr);
  CHECK(q->qparams.scale[0] == doctest::Approx(2.0 / 255));
  CHECK(q->int_repr() == std::vector<std::int32_t>{0, 64, 255});
}

TEST_CASE("a class without functions is an error, with what is missing") {
  const nested_model m = prepared_twice();
  const module_state none;
  for (const quant_type type : {quant_type::dynamic, quant_type::static_}) {
    custom_module_set custom({{.float_class = &twice_class, .type = type}});
    const status done = custom.prepare(m.prepared.view(), twice_mapping, twice_options, none);
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().message() ==
          "twice: the custom class my.Twice has no from_float and from_observed for quant type "
          "static");
  }
}

}  // namespace
