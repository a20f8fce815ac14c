// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "observer_cases.hpp"
#include "suites.hpp"

// Observers, step by step: their state and parameters after each tensor. And the parameters that
// dynamic quantization chooses.

namespace golden {
namespace {

/// Empty if the observer is in the state that PyTorch's is in after this step.
std::string check_step(const suite_file& file, const json& step, const obs::any_observer& o) {
  const observer_state s = state_of(o);
  std::string why = s.error;
  if (step.contains("min")) {
    why += difference("min", file.numbers(step.at("min")), s.min);
    why += difference("max", file.numbers(step.at("max")), s.max);
  }
  const auto* histogram = o.get_if<obs::histogram>();
  if (histogram != nullptr && step.contains("search_min")) {
    const auto [min, max] = histogram->search();
    why += difference("search_min", file.numbers(step.at("search_min")), {double{min}});
    why += difference("search_max", file.numbers(step.at("search_max")), {double{max}});
  }
  why += difference("scale", file.numbers(step.at("scale")), s.scale);
  why += difference("zero_point", file.numbers(step.at("zero_point")), s.zero_point);
  return why;
}

/// What the observer was made with, and its parameters before it saw anything.
std::string check_fresh(const suite_file& file, const json& c, const obs::any_observer& o) {
  const observer_state s = state_of(o);
  const ctq::observer_args& args = o.record().args;
  const auto [min, max] = range_of(args);
  if (!c.contains("uninit")) return s.error;
  const json& before = c.at("uninit");
  std::string why = s.error + difference("first scale", file.numbers(before.at(0)), s.scale) +
                    difference("first zero_point", file.numbers(before.at(1)), s.zero_point);
  const auto check_argument = [&](const char* name, double value) {
    if (c.contains(name)) why += difference(name, file.numbers(c.at(name)), {value});
  };
  check_argument("quant_min", static_cast<double>(min));
  check_argument("quant_max", static_cast<double>(max));
  check_argument("eps", double{args.eps});
  return why;
}

std::string check(const suite_file& file, const json& c, ctq::observer_record record,
                  ctq::semantics semantics) {
  std::vector<shaped_tensor> inputs;
  for (const json& input : file.doc().at("inputs").at(c.at("input").get<std::string>()))
    inputs.emplace_back(file.read(input), record.args.ch_axis);
  if (!inputs.empty()) record.args.ch_axis = inputs.front().axis;
  obs::any_observer o(record, semantics);

  if (c.contains("error")) {
    for (const shaped_tensor& t : inputs) o.observe(t.data, t.shape);
    return state_of(o).error.empty() ? "no error, but in PyTorch: " + c.at("error").dump() : "";
  }
  std::string why = check_fresh(file, c, o);
  const json& steps = c.at("steps");
  if (steps.size() != inputs.size()) throw malformed("not one step for each input");
  for (std::size_t i = 0; i < inputs.size() && why.empty(); ++i) {
    o.observe(inputs[i].data, inputs[i].shape);
    why = check_step(file, steps[i], o);
    if (!why.empty()) why = "step " + std::to_string(i) + ": " + why;
  }
  const auto* histogram = o.get_if<obs::histogram>();
  if (why.empty() && histogram != nullptr && c.contains("final_histogram"))
    why = difference("final_histogram", file.numbers(c.at("final_histogram")),
                     as_doubles(histogram->bins()));
  return why;
}

/// Some step has an infinite scale.
bool has_infinite_scale(const suite_file& file, const json& c) {
  if (!c.contains("steps")) return false;
  for (const json& step : c.at("steps"))
    for (const double scale : file.numbers(step.at("scale")))
      if (std::isinf(scale)) return true;
  return false;
}

/// The rule by which ctq may differ in this case; empty if it may not.
std::string known_difference(const suite_file& file, const json& c, const ctq::observer_record& r,
                             ctq::semantics semantics) {
  const bool histogram = r.type == ctq::observer_class::histogram;
  const std::string error = c.contains("error") ? c.at("error").get<std::string>() : "";
  const auto error_says = [&](const char* words) { return error.find(words) != std::string::npos; };
  // The other observers refuse this, as ctq does; the histogram's zero point 128 lies outside its
  // own range 0 … 127.
  if (histogram && r.args.dtype == ctq::quint8 && r.args.reduce_range &&
      obs::is_symmetric(r.args.qscheme))
    return "symmetric-quint8-with-reduced-range";
  // PyTorch had no room for the finer histogram; ctq never makes it.
  if (histogram && error_says("memory")) return "histogram-out-of-memory";
  // By rounding, the old histogram does not fit into the new one; torch_2_1 counts what is beyond
  // the last bin in that.
  if (!histogram_growth_fails_past_the_end(semantics) && histogram &&
      error_says("must match the existing size"))
    return "histogram-beyond-the-last-bin";
  // PyTorch flattens all axes but the first of two; torch_2_1 gives each element of a vector a
  // range.
  if (!vectors_have_no_channels(semantics) && is_per_channel(r.type) &&
      error_says("Dimension out of range"))
    return "channels-of-a-vector";
  // The data comes from 1.13, whose histograms drop what lies outside a truncated range.
  if (histogram && semantics == ctq::semantics::torch_2_1) return "histogram-of-another-release";
  // ctq calls a range too wide for float32 an error.
  if (!infinite_scale_is_kept(semantics) && has_infinite_scale(file, c)) return "infinite-scale";
  return {};
}

outcome observer_case(const suite_file& file, const json& c, ctq::semantics semantics) {
  const std::string name = c.at("observer");
  const auto record = observer_from(observer_class_from(name), c.at("kwargs"));
  std::string why = check(file, c, record, semantics);
  if (why.empty()) return outcome::of("");
  const std::string rule = known_difference(file, c, record, semantics);
  if (!rule.empty()) return outcome::known(rule);
  return outcome::of(name + " " + c.at("kwargs").dump() + " of " + c.at("input").dump() + ": " +
                     why);
}

outcome choose_qparams_case(const suite_file& file, const json& c) {
  ctq::quant_range range = range_of(c.contains("dtype") ? dtype_from(c.at("dtype")) : ctq::quint8);
  if (c.at("reduce_range").get<bool>() && c.at("engine") != "qnnpack") range = obs::reduced(range);
  const auto seen = obs::aminmax(file.read(c.at("input")).floats());
  const auto [min, max] = seen.observed() ? std::pair(seen.min, seen.max) : std::pair(0.0F, 0.0F);
  const auto q = obs::choose_qparams(min, max, range);
  std::string why = difference("scale", file.numbers(c.at("scale")), {q.scale}) +
                    difference("zero_point", file.numbers(c.at("zero_point")),
                               {static_cast<double>(q.zero_point)});
  // PyTorch's zero point is NaN converted to an integer; ctq's is one of the range.
  if (!why.empty() && !(std::isfinite(min) && std::isfinite(max)))
    return outcome::known("infinite-dynamic-range");
  return outcome::of(std::move(why));
}

}  // namespace

void run_observers(const suite_file& file, ctq::semantics semantics, report& report) {
  report.run(file, "cases", [&](const json& c) { return observer_case(file, c, semantics); });
  report.run(file, "choose_qparams", [&](const json& c) { return choose_qparams_case(file, c); });
}

}  // namespace golden
