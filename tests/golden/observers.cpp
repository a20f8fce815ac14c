// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "expected_error.hpp"
#include "observer_cases.hpp"
#include "suites.hpp"

// Observers, step by step: their state and parameters after each tensor. And the parameters that
// dynamic quantization chooses. Histograms of 1.13 and 2.1 differ, so each has its data.

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
  for (const auto& [key, got] : {std::pair{"scale", &s.scale}, {"zero_point", &s.zero_point}})
    if (step.contains(key)) why += difference(key, file.numbers(step.at(key)), *got);
  return why;
}

/// Empty if both are in one state.
std::string difference_of(const observer_state& wanted, const observer_state& got) {
  return got.error + difference("min", wanted.min, got.min) +
         difference("max", wanted.max, got.max) + difference("scale", wanted.scale, got.scale) +
         difference("zero_point", wanted.zero_point, got.zero_point);
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

std::vector<shaped_tensor> inputs_of(const suite_file& file, const json& c, int ch_axis) {
  std::vector<shaped_tensor> inputs;
  for (const json& input : file.doc().at("inputs").at(c.at("input").get<std::string>()))
    inputs.emplace_back(file.read(input), ch_axis);
  return inputs;
}

std::string check(const suite_file& file, const json& c, ctq::observer_record record,
                  ctq::semantics semantics) {
  const std::vector<shaped_tensor> inputs = inputs_of(file, c, record.args.ch_axis);
  if (!inputs.empty()) record.args.ch_axis = inputs.front().axis;
  obs::any_observer o(record, semantics);

  if (c.contains("error")) {
    for (const shaped_tensor& t : inputs) o.observe(t.data, t.shape);
    return wrong_error(c, "error", state_of(o).error);
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
  // ctq calls a range too wide for float32 an error.
  if (!infinite_scale_is_kept(semantics) && has_infinite_scale(file, c)) return "infinite-scale";
  return {};
}

/// The observer and its input, in words.
std::string what_of(const json& c) {
  return c.at("observer").get<std::string>() + " " + c.at("kwargs").dump() + " of " +
         c.at("input").dump() + ": ";
}

outcome observer_case(const suite_file& file, const json& c, ctq::semantics semantics) {
  const auto record =
      observer_from(observer_class_from(c.at("observer").get<std::string>()), c.at("kwargs"));
  const std::string why = check(file, c, record, semantics);
  if (why.empty()) return outcome::of("");
  std::string rule = known_difference(file, c, record, semantics);
  // Histograms of 1.13 drop what lies outside a truncated range; those of 2.1 have data of their
  // own.
  constexpr auto of_data = ctq::semantics::torch_1_13;
  if (rule.empty() && semantics != of_data && record.type == ctq::observer_class::histogram &&
      check(file, c, record, of_data).empty())
    rule = "histogram-of-another-release";
  if (!rule.empty()) return outcome::known(rule);
  return outcome::of(what_of(c) + why);
}

// --- Histograms of 2.1 -------------------------------------------------------------------------

/// 2.1 fails on infinite elements, which ctq ignores: the answer is that without them.
std::string check_without_infinity(const std::vector<shaped_tensor>& inputs,
                                   const ctq::observer_record& record) {
  obs::any_observer all(record);
  obs::any_observer finite(record);
  for (const shaped_tensor& t : inputs) {
    all.observe(t.data);
    std::vector<float> rest = t.data;
    std::erase_if(rest, [](float x) { return std::isinf(x); });
    finite.observe(rest);
  }
  return difference_of(state_of(finite), state_of(all));
}

/// What ctq answers in every unit: the range that the search finds, and the parameters of it.
///   exponent  by whose power of two the elements are multiplied, so that PyTorch's formulas
///   neither
///             overflow nor underflow
std::string check_in_unit(const std::vector<shaped_tensor>& inputs,
                          const ctq::observer_record& record, int exponent) {
  obs::any_observer o(record);
  obs::any_observer in_unit(record);
  for (const shaped_tensor& t : inputs) {
    o.observe(t.data);
    std::vector<float> scaled = t.data;
    for (float& x : scaled) x = std::ldexp(x, exponent);
    in_unit.observe(scaled);
  }
  const auto* histogram = o.get_if<obs::histogram>();
  const auto [min, max] = in_unit.get_if<obs::histogram>()->search();
  const obs::value_range wanted{std::ldexp(min, -exponent), std::ldexp(max, -exponent)};
  const observer_state got = state_of(o);
  const auto q = obs::calculate_qparams(record.args, {wanted.min, wanted.max, false});
  if (!q || !got.error.empty()) return "has no parameters: " + got.error;
  return difference("search_min", {wanted.min}, {histogram->search().min}) +
         difference("search_max", {wanted.max}, {histogram->search().max}) +
         difference("scale", {q->scale}, got.scale) +
         difference("zero_point", {static_cast<double>(q->zero_point)}, got.zero_point);
}

/// The rule by which ctq answers where 2.1 fails or loses digits, if its answer is right; else
/// empty.
std::string better_than_2_1(const suite_file& file, const json& c, ctq::observer_record record) {
  const std::vector<shaped_tensor> inputs = inputs_of(file, c, record.args.ch_axis);
  float largest = 0.0F;
  bool has_infinity = false;
  for (const shaped_tensor& t : inputs)
    for (const float x : t.data) {
      has_infinity = has_infinity || std::isinf(x);
      if (!std::isinf(x)) largest = std::max(largest, std::abs(x));
    }
  if (largest == 0.0F) return {};
  if (c.contains("error")) {
    if (has_infinity)
      return check_without_infinity(inputs, record).empty() ? "histogram_ignores_infinity" : "";
    return c.value("error_reason", "") == "range_overflows_float32" &&
                   check_in_unit(inputs, record, -std::ilogb(largest)).empty()
               ? "histogram_growth_avoids_overflow"
               : "";
  }
  // The same bins, and a search in whose float32 the cubes of distances do not fit.
  json only_bins = c;
  for (json& step : only_bins["steps"])
    for (const char* key : {"search_min", "search_max", "scale", "zero_point"}) step.erase(key);
  return check(file, only_bins, record, ctq::semantics::torch_2_1).empty() &&
                 check_in_unit(inputs, record, -std::ilogb(largest)).empty()
             ? "histogram_search_overflows"
             : "";
}

outcome histogram_2_1_case(const suite_file& file, const json& c) {
  const auto record =
      observer_from(observer_class_from(c.at("observer").get<std::string>()), c.at("kwargs"));
  const std::string why = check(file, c, record, ctq::semantics::torch_2_1);
  if (why.empty()) return outcome::of("");
  const std::string rule = better_than_2_1(file, c, record);
  return rule.empty() ? outcome::of(what_of(c) + why) : outcome::known(rule);
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

void run_observers_2_1(const suite_file& file, ctq::semantics semantics, report& report) {
  if (semantics != ctq::semantics::torch_2_1) return;
  report.run(file, "cases", [&](const json& c) { return histogram_2_1_case(file, c); });
}

}  // namespace golden
