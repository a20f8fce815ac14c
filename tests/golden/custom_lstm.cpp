// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctq/backends/native.hpp"
#include "ctq/evaluate/lstm/quantizable_lstm.hpp"
#include "ctq/evaluate/nested_model.hpp"
#include "ctq/io/read_fx.hpp"
#include "qconfig_records.hpp"
#include "suites.hpp"

// LSTMs as custom modules: the qparams of all observers in their cells, the integers that they
// give, and what becomes of the network around them.

namespace golden {
namespace {

using ctq::node_value;
using ctq::stage;
using float_tensor = ctq::float_ops::tensor;

/// Of observers: those that see the same floats up to the order of additions.
constexpr double qparams_tolerance = 1e-6;

float_tensor floats_of(const suite_file& file, const json& reference) {
  const tensor t = file.read(reference);
  return {t.shape, t.floats()};
}

ctq::quantized_tensor quantized_tensor_of(const suite_file& file, const json& j) {
  const tensor t = file.read(j.at("q"));
  return {{.scale = {j.at("scale").get<double>()},
           .zero_point = {integer<std::int32_t>(j.at("zero_point"))}},
          t.shape,
          std::vector<std::int32_t>(t.values.begin(), t.values.end())};
}

std::vector<node_value> all_floats(const suite_file& file, const json& references) {
  std::vector<node_value> all;
  for (const json& r : references) all.emplace_back(floats_of(file, r));
  return all;
}

/// Empty, or by what the scale or the zero point differs.
std::string difference_of(const std::string& name, double scale, std::int64_t zero_point,
                          const ctq::tensor_qparams& got) {
  if (std::abs(got.scale[0] - scale) <= qparams_tolerance * scale &&
      got.zero_point[0] == zero_point)
    return {};
  return name + ": scale " + std::to_string(got.scale[0]) + ", not " + std::to_string(scale) +
         "; zero point " + std::to_string(got.zero_point[0]) + ", not " +
         std::to_string(zero_point) + "; ";
}
std::string difference_of(const std::string& name, const json& wanted,
                          const ctq::tensor_qparams* got) {
  if (got == nullptr) return name + ": no observer; ";
  return difference_of(name, wanted.at(0).get<double>(), integer<std::int64_t>(wanted.at(1)), *got);
}

/// Empty, or how the integers differ.
std::string difference_of(const std::string& name, const ctq::quantized_tensor& wanted,
                          const ctq::quantized_tensor* got) {
  if (got == nullptr || got->shape() != wanted.shape()) return name + ": not these integers; ";
  std::string why =
      difference_of(name, wanted.qparams.scale[0], wanted.qparams.zero_point[0], got->qparams);
  std::size_t differ = 0;
  std::int32_t most = 0;
  const std::vector<std::int32_t> a = wanted.int_repr(), b = got->int_repr();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int32_t d = std::abs(a[i] - b[i]);
    differ += d != 0 ? 1 : 0;
    most = std::max(most, d);
  }
  if (differ != 0)
    why += name + ": " + std::to_string(differ) + " of " + std::to_string(a.size()) +
           " integers differ, by up to " + std::to_string(most) + "; ";
  return why;
}

template <class T>
const T& checked(const ctq::result<T>& r) {
  if (!r) throw std::runtime_error(r.error().message());
  return *r;
}

ctq::qconfig_record qconfig_of(const json& c) {
  const auto q = qconfig_from(c.at("qconfig"));
  if (!q) throw malformed("a case without qconfig");
  return *q;
}

/// The weights, and the options that they do not tell.
ctq::module_state modules_of(const suite_file& file, const json& c, const std::string& prefix) {
  ctq::module_state m;
  for (const auto& [name, reference] : c.at("weights").items())
    m.set_tensor(prefix + name, floats_of(file, reference));
  m.set_option("lstm", "batch_first", c.at("options").value("batch_first", false));
  return m;
}

/// The LSTM alone: what its observers say, and its integers.
std::string check_module(const suite_file& file, const json& c, ctq::semantics semantics) {
  ctq::custom_module_source source{"lstm", qconfig_of(c), {}, {}};
  for (const auto& v : modules_of(file, c, "lstm.").attributes_of("lstm"))
    source.modules.set_option("", v.name, v.given);
  auto observed = ctq::observed_lstm::make(source, semantics);
  for (const json& batch : c.at("calibration"))
    (void)checked(checked(observed)->forward(all_floats(file, batch)));
  const auto seen = checked(observed)->qparams();
  std::string why;
  for (const auto& [path, wanted] : c.at("observers").items()) {
    const auto found = seen.find(path);
    why += difference_of(path, wanted, found == seen.end() ? nullptr : &found->second);
  }
  if (seen.size() != c.at("observers").size()) why += "another number of observers; ";
  auto quantized = ctq::quantized_lstm::make(**observed, source.path);
  std::vector<node_value> inputs;
  for (const json& q : c.at("inputs")) inputs.emplace_back(quantized_tensor_of(file, q));
  const auto got = checked(quantized)->forward(inputs);
  const node_value& output = checked(got).items()->at(0);
  const std::vector<node_value>& state = *got->items()->at(1).items();
  const json& wanted = c.at("outputs");
  why += difference_of("output", quantized_tensor_of(file, wanted.at(0)), output.integers());
  why += difference_of("h", quantized_tensor_of(file, wanted.at(1)), state[0].integers());
  return why + difference_of("c", quantized_tensor_of(file, wanted.at(2)), state[1].integers());
}

/// The network, prepared, calibrated, converted and lowered.
std::string check_network(const suite_file& file, const json& c, ctq::semantics semantics) {
  const json& n = c.at("network");
  const auto graph = ctq::read_fx(n.at("rows").dump());
  const ctq::mapping_entry everywhere{
      .level = ctq::mapping_level::global, .quantizes = true, .qconfig = qconfig_of(c)};
  const ctq::mapping_view mapping{&everywhere, 1};
  const ctq::prepare_options options{.semantics = semantics,
                                     .custom = {.custom_modules = {&ctq::lstm_custom_module, 1}}};
  ctq::nested_model m =
      ctq::prepare_model({checked(graph).view()}, ctq::backend_v<ctq::native>, mapping, options);
  ctq::convert_model(m, m.backend, {.semantics = semantics});
  ctq::lower_model(m, {.semantics = semantics});
  for (const auto* problem : {&m.prepared.problem, &m.reference.problem, &m.lowered.problem})
    if (problem->any()) return std::string(problem->message());

  ctq::module_state modules = modules_of(file, c, "lstm.");
  for (const auto& [name, reference] : n.at("fc").items())
    modules.set_tensor("fc." + name, floats_of(file, reference));
  ctq::custom_module_set custom({ctq::quantizable_lstm(semantics)});
  ctq::observer_set observers(semantics);
  (void)checked(custom.prepare(m.prepared.view(), mapping, options, modules));
  ctq::evaluator<stage::prepared> calibrate(
      m.prepared.view(), modules,
      {.semantics = semantics, .observers = &observers, .implementation = custom.observed()});
  for (const json& batch : c.at("calibration"))
    (void)checked(calibrate.run(all_floats(file, batch)));

  std::string why;
  ctq::model_qparams qparams;
  std::size_t observed = 0;
  for (int i = 0; i < m.prepared.size(); ++i) {
    const ctq::node& app = m.prepared.nodes[i];
    if (app.observer_config == nullptr) continue;
    const std::string of(m.prepared.view().arg(i, 0).name);
    const auto found = observers.qparams(app.observer);
    if (found) qparams.activations[app.observer] = *found;
    const auto wanted = n.at("observed").find(of);
    if (wanted == n.at("observed").end())
      why += of + " is observed; ";
    else
      why += difference_of(of, *wanted, found ? &*found : nullptr);
    ++observed;
  }
  if (observed != n.at("observed").size()) why += "another number of values is observed; ";
  (void)checked(custom.convert(qparams));
  ctq::evaluator<stage::lowered> run(
      m.lowered.view(), modules,
      {.semantics = semantics, .qparams = &qparams, .implementation = custom.quantized()});
  const auto values = run.run(all_floats(file, c.at("floats")));
  const ctq::float_ops::value out = checked(values).back().real();
  const auto* results = out.get_if<ctq::float_ops::list>();
  if (results == nullptr || results->size() != n.at("results").size())
    return why + "another number of results";
  for (std::size_t i = 0; i < results->size(); ++i) {
    const auto* got = (*results)[i].get_if<float_tensor>();
    const float_tensor wanted = floats_of(file, n.at("results").at(i));
    if (got == nullptr || got->shape != wanted.shape) return why + "a result has another shape";
    double most = 0.0;
    for (std::size_t e = 0; e < wanted.data.size(); ++e)
      most = std::max(
          most, std::abs(static_cast<double>(wanted.data[e]) - static_cast<double>(got->data[e])));
    // Less than a step of the output, whose scale may be off by a millionth.
    if (most > 1e-5)
      why += "result " + std::to_string(i) + " differs by " + std::to_string(most) + "; ";
  }
  return why;
}

outcome lstm_case(const suite_file& file, const json& c, ctq::semantics semantics) {
  const bool histogram = qconfig_of(c).activation.type == ctq::observer_class::histogram;
  if (histogram && semantics != ctq::semantics::torch_1_13)
    return outcome::not_covered("histograms of PyTorch 1.13");
  std::string why = check_module(file, c, semantics);
  if (c.contains("network")) why += check_network(file, c, semantics);
  return outcome::of(why.empty() ? why : c.at("name").get<std::string>() + ": " + why);
}

}  // namespace

void run_custom_lstm(const suite_file& file, ctq::semantics semantics, report& report) {
  report.run(file, "cases", [&](const json& c) { return lstm_case(file, c, semantics); });
}

}  // namespace golden
