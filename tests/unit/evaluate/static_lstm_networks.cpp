// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled models with statically quantized LSTMs: what is calibrated is what the custom modules of
// an evaluator observe, and the integers are theirs.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../io/quantized_net.hpp"
#include "../runtime/small_net.hpp"
#include "compare_evaluator.hpp"
#include "ctq/backends/native.hpp"
#include "ctq/evaluate/lstm/quantizable_lstm.hpp"
#include "ctq/io/load_quantized.hpp"
#include "ctq/io/save_quantized.hpp"
#include "ctq/runtime/convert.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "ctq/runtime/observed_model.hpp"
#include "ctq/runtime/session.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

/// A layer on the sequence, and the last state of all cells.
inline constexpr auto tagger = model(
    "x"_n = nn::placeholder({3, 6, 5}),
    "lstm"_n = nn::lstm("x"_n, {.hidden_size = 20,
                                .num_layers = 2,
                                .batch_first = true,
                                .dropout = 0.5F,
                                .bidirectional = true}),
    "y"_n = op::getitem("lstm"_n, {.index = {0}}), "fc"_n = nn::linear("y"_n, {.out_features = 4}),
    "state"_n = op::getitem("lstm"_n, {.index = {-1}}),
    "h"_n = op::getitem("state"_n, {.index = {0}}), "c"_n = op::getitem("state"_n, {.index = {-1}}),
    "out"_n = nn::output("fc"_n, "h"_n, "c"_n));

/// A sequence that begins with a given state, and one that continues it.
inline constexpr auto continued =
    model("x"_n = nn::placeholder({5, 2, 7}), "h0"_n = nn::placeholder({1, 2, 36}),
          "c0"_n = nn::placeholder({1, 2, 36}),
          "lstm"_n = nn::lstm("x"_n, "h0"_n, "c0"_n, {.hidden_size = 36}),
          "y"_n = op::getitem("lstm"_n, {.index = {0}}),
          "state"_n = op::getitem("lstm"_n, {.index = {1}}),
          "next"_n = nn::lstm("y"_n, "state"_n, {.hidden_size = 36, .bias = false}),
          "z"_n = op::getitem("next"_n, {.index = {0}}), "out"_n = nn::output("z"_n, "y"_n));

/// Two calls of one module, whose observers see both.
inline constexpr auto twice =
    model("x"_n = nn::placeholder({4, 3, 12}), "lstm"_n = nn::lstm("x"_n, {.hidden_size = 12}),
          "y"_n = op::getitem("lstm"_n, {.index = {0}}),
          "lstm#2"_n = nn::lstm("y"_n, {.hidden_size = 12}),
          "z"_n = op::getitem("lstm#2"_n, {.index = {0}}), "out"_n = nn::output("y"_n, "z"_n));

struct with_lstm : plan_options {
  static constexpr prepare_custom_config prepare{.custom_modules = {&lstm_custom_module, 1}};
};
struct in_1_13 : with_lstm {
  static constexpr auto semantics = ctq::semantics::torch_1_13;
};
using ranges = qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>>;
using averages = qconfig_mapping<
    global<qconfig<moving_average_min_max_observer<>,
                   min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}>>>>;

/// The integer form of an LSTM, with the qparams of a compiled model.
class lstm_with_qparams {
 public:
  lstm_with_qparams(lstm_parts::lstm_weights w, const qconfig_record& qconfig,
                    std::span<const qparams> own, semantics s)
      : graphs_(qconfig, w.hidden), layers_(std::move(w), graphs_.lowered().view()) {
    const tensor_qparams of_sigmoid{quint8, -1, {1.0 / 256}, {0}, {}};
    const tensor_qparams of_tanh{quint8, -1, {2.0 / 256}, {128}, {}};
    for (std::size_t first = 0; first < own.size(); first += lstm_cell_values) {
      auto& all = qparams_.emplace_back().activations;
      for (int k = 0; k < lstm_cell_values; ++k)
        all[k] = tensor_qparams_of(quint8, own[first + static_cast<std::size_t>(k)]);
      for (const int k : {7, 8, 10}) all[k] = of_sigmoid;
      for (const int k : {9, 11}) all[k] = of_tanh;
      layers_.add_cell({.semantics = s, .qparams = &qparams_.back()});
    }
  }
  [[nodiscard]] result<node_value> forward(const std::vector<node_value>& inputs) {
    return layers_.run(inputs);
  }

 private:
  lstm_parts::cell_graphs graphs_;
  std::deque<model_qparams> qparams_{};
  lstm_parts::lstm_layers<stage::lowered> layers_;
};

std::vector<float> joined(const float_ops::value& v) {
  std::vector<float> all;
  if (const auto* t = v.get_if<float_ops::tensor>()) return t->data;
  for (const float_ops::value& part : *v.get_if<float_ops::list>()) {
    const std::vector<float> more = joined(part);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// The inputs and outputs of a plan, and of each output the elements.
template <class Plan>
struct operands_of {
  typename io_types<Plan::int8_schedule>::input in;
  typename io_types<Plan::int8_schedule>::output out;

  void draw(std::mt19937& random) {
    std::apply([&](auto&... x) { (small::fill(x, random), ...); }, inputs());
  }
  auto inputs() {
    if constexpr (requires { std::tuple_size<decltype(in)>::value; }) {
      return std::apply([](auto&... x) { return std::tie(x...); }, in);
    } else {
      return std::tie(in);
    }
  }
  auto outputs() {
    return std::apply([](auto&... x) { return std::tie(x...); }, out);
  }
  std::vector<node_value> values() {
    const auto value = []<int... Extent>(const tensor<float, Extent...>& t) {
      return node_value(float_ops::tensor{{Extent...}, {t.begin(), t.end()}});
    };
    return std::apply([&](auto&... t) { return std::vector<node_value>{value(t)...}; }, inputs());
  }
  template <class Run>
  std::vector<float> run(Run& model) {
    std::apply([&](auto&... x) { std::apply([&](auto&... y) { model(x..., y...); }, outputs()); },
               inputs());
    return elements();
  }
  std::vector<float> interpreted(interpreter<reference_kernels>& by) {
    std::apply(
        [&](auto&... x) {
          std::apply(
              [&](auto&... y) {
                const void* const from[] = {x.data()...};
                void* const to[] = {y.data()...};
                by.run(std::span(from), std::span(to));
              },
              outputs());
        },
        inputs());
    return elements();
  }
  std::vector<float> elements() {
    std::vector<float> all;
    std::apply([&](auto&... y) { (all.insert(all.end(), y.begin(), y.end()), ...); }, outputs());
    return all;
  }
};

void check_near(const qparams& ours, const tensor_qparams& wanted) {
  CHECK(std::fabs(ours.scale - wanted.scale[0]) < 1e-5 * wanted.scale[0]);
  CHECK(std::abs(ours.zero_point - wanted.zero_point[0]) <= 1);
}

/// Whether the observers of a compiled model have seen what those of an evaluator do.
template <class Plan>
void check_observers(graph_view<stage::prepared> g, std::span<const qparams> ours,
                     const std::vector<std::vector<node_value>>& samples,
                     const module_state& modules, semantics s) {
  std::map<std::string, std::unique_ptr<observed_lstm>> forms;
  for (int i = 0; i < g.size(); ++i) {
    if (!has_inner_observers(g[i])) continue;
    const std::string name(path_of(g[i]));
    custom_module_source from{name, Plan::mapping.entries[0].qconfig, modules.inside(name), {}};
    for (const auto& v : modules.attributes_of(name)) from.modules.set_option("", v.name, v.given);
    from.modules.set_option("", "batch_first",
                            g[i].attrs.template as<recurrent_options>().batch_first != 0);
    auto made = observed_lstm::make(from, s);
    REQUIRE_MESSAGE(made.has_value(), made.error().message());
    forms[name] = *std::move(made);
  }
  observer_set observers(s);
  evaluator<stage::prepared> calibrate(
      g, modules,
      {.semantics = s, .observers = &observers, .implementation = small::calls_of(forms)});
  for (const auto& x : samples) REQUIRE(calibrate.run(x).has_value());
  for (int i = 0; i < g.size(); ++i) {
    if (g[i].op == q::activation_post_process.id())
      check_near(ours[static_cast<std::size_t>(g[i].observer)], *observers.qparams(g[i].observer));
    if (!has_inner_observers(g[i])) continue;
    const auto all = forms.at(std::string(path_of(g[i])))->qparams();
    const int directions = g[i].attrs.template as<recurrent_options>().bidirectional ? 2 : 1;
    for (int k = 0; k < descriptors::lstm_observers(g[i].attrs); ++k) {
      std::string path;
      append_lstm_observer(path, directions, k);
      CAPTURE(path);
      check_near(ours[static_cast<std::size_t>(g[i].observer + k)], all.at(path));
    }
  }
}

/// Those of a module that is called twice once.
template <const auto& Model>
model_weights<Model> checked_weights() {
  std::vector<weight_tensor> all = small::random_weights<Model>(3).tensors();
  const auto end = std::unique(all.begin(), all.end(),
                               [](const auto& a, const auto& b) { return a.name == b.name; });
  all.erase(end, all.end());
  return *model_weights<Model>::check(weights{std::move(all)});
}

template <const auto& Model, class Mapping, class Options>
void check() {
  constexpr semantics s = Options::semantics;
  const auto weights = checked_weights<Model>();
  auto observed =
      prepare<Model, native, Mapping, unsupported::error, isa::of_models, Options>(weights);
  using plan = typename decltype(observed)::plan;
  CHECK(convert(observed).error().message().ends_with("calibrate first"));
  operands_of<plan> o;
  std::mt19937 random{5};
  std::vector<std::vector<node_value>> samples;
  for (int i = 0; i < 3; ++i) {
    o.draw(random);
    samples.push_back(o.values());
    o.run(observed);
  }
  const std::vector<float> in_float = o.elements();
  const module_state modules = small::state_of(weights.get());
  const auto converted = convert(observed);
  REQUIRE_MESSAGE(converted.has_value(), converted.error().message());
  check_observers<plan>(plan::prepared.view(), converted->qparams(), samples, modules, s);

  const quantized_net::temporary_file file;
  REQUIRE(converted->save(file.name()));
  const auto loaded = load_quantized<plan>(file.name());
  REQUIRE_MESSAGE(loaded.has_value(), loaded.error().message());
  CHECK(std::vector(loaded->qparams().begin(), loaded->qparams().end()) ==
        std::vector(converted->qparams().begin(), converted->qparams().end()));

  auto oracle = interpreter<reference_kernels>::make(
      plan::lowered.view(), weights.get(), converted->qparams(), plan::backend, plan::mapping);
  REQUIRE_MESSAGE(oracle.has_value(), oracle.error().message());
  std::map<std::string, std::unique_ptr<lstm_with_qparams>> forms;
  for (const node& n : plan::lowered.nodes) {
    if (n.op != &quantized_lstm_class) continue;
    const std::string name(path_of(n));
    auto all = modules.attributes_of(name);
    all.push_back({"batch_first", n.attrs.template as<recurrent_options>().batch_first != 0});
    forms[name] = std::make_unique<lstm_with_qparams>(
        *lstm_parts::read_lstm(all, name), plan::mapping.entries[0].qconfig,
        converted->qparams().subspan(
            static_cast<std::size_t>(n.observer),
            static_cast<std::size_t>(descriptors::lstm_observers(n.attrs))),
        s);
  }
  CHECK(forms.size() > 0);
  const model_qparams qparams = small::qparams_of(*converted);
  evaluator<stage::lowered> eval(
      plan::lowered.view(), modules,
      {.semantics = s, .qparams = &qparams, .implementation = small::calls_of(forms)});
  session session{*converted};
  // The last sample: integers are near the floats.
  const std::vector<float> ours = o.run(session);
  double error = 0.0, size = 0.0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    error += std::fabs(ours[i] - in_float[i]);
    size += std::fabs(in_float[i]);
  }
  CHECK(error < 0.1 * size);
  for (int i = 0; i < 4; ++i) {
    o.draw(random);
    const std::vector<float> found = o.run(session);
    CHECK(o.interpreted(*oracle) == found);
    CHECK(o.run(*loaded) == found);
    const auto values = eval.run(o.values());
    REQUIRE_MESSAGE(values.has_value(), values.error().message());
    CHECK(joined(values->back().real()) == found);
  }
}

}  // namespace

TEST_CASE("an LSTM of two layers in both directions has the integers of the evaluator") {
  check<tagger, ranges, with_lstm>();
}

TEST_CASE("so have LSTMs with an initial state, given or of another LSTM") {
  check<continued, averages, with_lstm>();
  check<continued, ranges, in_1_13>();
}

TEST_CASE("a module that is called again has its weights and its observers once") {
  check<twice, ranges, with_lstm>();
}

namespace {

/// Its only step reads a hidden state of zeros.
inline constexpr auto one_step =
    model("x"_n = nn::placeholder({1, 2, 3}), "lstm"_n = nn::lstm("x"_n, {.hidden_size = 4}),
          "y"_n = op::getitem("lstm"_n, {.index = {0}}), "out"_n = nn::output("y"_n));
using of_one_step = plan<one_step, native, ranges, unsupported::error, with_lstm>;

}  // namespace

TEST_CASE(
    "values in cells that were equal in calibration saturate, if there is nothing to multiply, "
    "too") {
  const auto weights = checked_weights<one_step>();
  std::vector<qparams> q(static_cast<std::size_t>(of_one_step::prepared.observers),
                         {.scale = 0.01F, .zero_point = 7, .quant_min = 0, .quant_max = 255});
  const auto packed = [&] {
    return interpreter<reference_kernels>::make(of_one_step::lowered.view(), weights.get(), q,
                                                of_one_step::backend, of_one_step::mapping);
  };
  CHECK(packed().has_value());
  const auto& lstm = of_one_step::prepared.nodes[find(of_one_step::prepared.view(), "lstm")];
  q[static_cast<std::size_t>(lstm.observer) + static_cast<std::size_t>(lstm_cell_value::hgates)]
      .scale = 1e-37F;
  CHECK(packed().has_value());
}

// ---- classes that are known by name alone, as those of a config in a file

namespace {

constexpr op_info observed_by_name{op_kind::module, "torch.ao.nn.quantizable.LSTM"};
constexpr op_info quantized_by_name{op_kind::module, "torch.ao.nn.quantized.LSTM"};

struct by_name : plan_options {
  static constexpr custom_module of_prepare[] = {
      {.float_class = nn::lstm.id(), .observed = &observed_by_name}};
  static constexpr custom_module of_convert[] = {
      {.observed = &observed_by_name, .quantized = &quantized_by_name}};
  static constexpr prepare_custom_config prepare{.custom_modules = {of_prepare, 1}};
  static constexpr convert_custom_config convert{.custom_modules = {of_convert, 1}};
};
using planned = plan<continued, native, ranges, unsupported::error, by_name>;
using known = plan<continued, native, ranges, unsupported::error, with_lstm>;
static_assert(planned::int8_schedule.count == known::int8_schedule.count);
static_assert(planned::lowered.nodes[find(planned::lowered.view(), "lstm")].op ==
              &quantized_lstm_class);

// Without a quantized class the observed LSTM stays in float.
struct never_converted : plan_options {
  static constexpr custom_module entry[] = {
      {.float_class = nn::lstm.id(), .observed = &observed_by_name}};
  static constexpr prepare_custom_config prepare{.custom_modules = {entry, 1}};
};
using in_float = plan<continued, native, ranges, unsupported::error, never_converted>;
static_assert(in_float::lowered.nodes[find(in_float::lowered.view(), "lstm")].op ==
              &quantizable_lstm_class);
// What is converted no longer observes.
constexpr bool observes_cells(std::span<const step> steps) {
  return std::ranges::any_of(
      steps, [](const step& s) { return s.signature.kernel == kernel::lstm_observed; });
}
static_assert(observes_cells(in_float::observed_schedule.steps));
static_assert(!observes_cells(in_float::int8_schedule.steps));

}  // namespace
