// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "observer_cases.hpp"
#include "suites.hpp"

// Quantize, dequantize and fake quantize with given or chosen parameters.

namespace golden {
namespace {

constexpr const char* undefined = "huge-values-undefined";

std::int32_t int32_from(double x) {
  if (!(x >= -0x1p31 && x < 0x1p31)) throw malformed("an integer of more than 32 bits");
  return static_cast<std::int32_t>(x);
}

double number(const suite_file& file, const json& j) {
  const auto all = file.numbers(j);
  if (all.size() != 1) throw malformed("not one number");
  return all.front();
}

ctq::qparams qparams_from(double scale, double zero_point, ctq::quant_range range) {
  const ctq::qparams p{static_cast<float>(scale), int32_from(zero_point),
                       static_cast<std::int32_t>(range.min), static_cast<std::int32_t>(range.max)};
  if (p.zero_point < p.quant_min || p.zero_point > p.quant_max)
    throw malformed("the zero point lies outside the range");
  return p;
}

ctq::quant_range range_from(const json& c) {
  const ctq::quant_range r{integer<int>(c.at("quant_min")), integer<int>(c.at("quant_max"))};
  if (r.min > r.max) throw malformed("quant_min exceeds quant_max");
  return r;
}

/// x / scale does not fit in int64 (or is NaN): PyTorch's conversion is undefined there, and its
/// answer on x86 is quant_min even for large positive x. ctq saturates, and gives the zero point
/// for NaN.
bool is_undefined(float x, float scale) { return !(std::abs(x * (1.0F / scale)) < 0x1p63F); }

double saturated(float x, const ctq::qparams& p) {
  if (std::isnan(x)) return p.zero_point;
  return x < 0 ? p.quant_min : p.quant_max;
}

/// Integers and their real values, for the whole of x or one channel of it.
template <class Q>
struct quantized {
  std::vector<double> q, dq;

  void append(std::span<const float> x, const ctq::qparams& p) {
    const ctq::elementwise_shape shape{static_cast<int>(x.size())};
    std::vector<Q> ints(x.size());
    std::vector<float> reals(x.size());
    ctq::kernels::reference::quantize(shape, x.data(), p, ints.data());
    ctq::kernels::reference::dequantize(shape, ints.data(), p, reals.data());
    q.insert(q.end(), ints.begin(), ints.end());
    dq.insert(dq.end(), reals.begin(), reals.end());
  }
};

/// Replaces what PyTorch leaves undefined by ctq's definition.
void define(std::vector<double>& q, std::vector<double>& dq, std::size_t offset,
            std::span<const float> x, const ctq::qparams& p, report& report) {
  if (q.size() < offset + x.size() || dq.size() < offset + x.size())
    throw malformed("fewer results than inputs");
  std::size_t count = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!is_undefined(x[i], p.scale)) continue;
    q[offset + i] = saturated(x[i], p);
    dq[offset + i] = double{static_cast<float>(q[offset + i] - p.zero_point) * p.scale};
    ++count;
  }
  report.left_open(undefined, count);
}

template <class Q>
outcome compare(const suite_file& file, const json& c, const shaped_tensor& x,
                const std::vector<ctq::qparams>& channels, report& report) {
  auto q = file.numbers(c.at("q"));
  auto dq = file.numbers(c.at("dq"));
  quantized<Q> got;
  const auto one = [&](std::size_t channel, std::size_t offset, std::size_t count) {
    const auto part = std::span(x.data).subspan(offset, count);
    define(q, dq, offset, part, channels[channel], report);
    got.append(part, channels[channel]);
  };
  if (channels.size() == 1)
    one(0, 0, x.data.size());
  else
    obs::for_each_slice(x.shape, x.axis, one);
  return outcome::of(difference("q", q, got.q) + difference("dq", dq, got.dq));
}

outcome compare(const suite_file& file, const json& c, const shaped_tensor& x,
                const std::vector<ctq::qparams>& channels, ctq::dtype dtype, report& report) {
  if (dtype == ctq::quint8) return compare<std::uint8_t>(file, c, x, channels, report);
  return compare<std::int8_t>(file, c, x, channels, report);
}

bool has_kernel(ctq::dtype dtype) { return dtype == ctq::quint8 || dtype == ctq::qint8; }

outcome per_tensor(const suite_file& file, const json& c, report& report) {
  const ctq::dtype dtype = dtype_from(c.at("dtype"));
  if (!has_kernel(dtype)) return outcome::not_covered("per_tensor of " + c.at("dtype").dump());
  const auto p =
      qparams_from(number(file, c.at("scale")), number(file, c.at("zero_point")), range_of(dtype));
  return compare(file, c, {file.read(c.at("x")), 0}, {p}, dtype, report);
}

/// The parameters of each channel, one for each index along the axis of x.
std::vector<ctq::qparams> channels_of(const suite_file& file, const json& c, const shaped_tensor& x,
                                      ctq::quant_range range) {
  const auto scale = file.numbers(c.at("scale"));
  const auto zero_point = file.numbers(c.at("zero_point"));
  const int axis = obs::axis_index(x.shape, x.axis);
  if (axis < 0 || scale.size() != static_cast<std::size_t>(x.shape[axis]) ||
      zero_point.size() != scale.size())
    throw malformed("not one scale and zero point for each channel");
  std::vector<ctq::qparams> channels;
  for (std::size_t i = 0; i < scale.size(); ++i)
    channels.push_back(qparams_from(scale[i], zero_point[i], range));
  return channels;
}

outcome per_channel(const suite_file& file, const json& c, report& report) {
  const ctq::dtype dtype = dtype_from(c.at("dtype"));
  if (!has_kernel(dtype)) return outcome::not_covered("per_channel of " + c.at("dtype").dump());
  const shaped_tensor x(file.read(c.at("x")), integer<int>(c.at("axis")));
  return compare(file, c, x, channels_of(file, c, x, range_of(dtype)), dtype, report);
}

outcome dynamic(const suite_file& file, const json& c, report& report) {
  const ctq::dtype dtype = dtype_from(c.at("dtype"));
  if (!has_kernel(dtype)) return outcome::not_covered("dynamic of " + c.at("dtype").dump());
  const shaped_tensor x(file.read(c.at("x")), 0);
  const bool reduce = c.at("reduce_range").get<bool>() && c.at("engine") != "qnnpack";
  const auto seen = obs::aminmax(x.data);
  const auto chosen = obs::choose_qparams(seen.min, seen.max,
                                          reduce ? obs::reduced(range_of(dtype)) : range_of(dtype));
  const std::string why =
      difference("scale", file.numbers(c.at("scale")), {chosen.scale}) +
      difference("zero_point", file.numbers(c.at("zero_point")), {double(chosen.zero_point)});
  if (!why.empty()) return outcome::of(why);
  const auto p = qparams_from(chosen.scale, chosen.zero_point, range_of(dtype));
  return compare(file, c, x, {p}, dtype, report);
}

/// y = fake_quantize(x). Real results only, so undefined ones are defined in y itself.
std::string check_fake(const suite_file& file, const json& c, const std::vector<float>& x,
                       const ctq::qparams& p, report& report) {
  auto y = file.numbers(c.at("y"));
  std::vector<double> q(y.size());
  define(q, y, 0, x, p, report);
  std::vector<float> got(x.size());
  obs::fake_quantize(x, p, got);
  return difference("y", y, as_doubles(got));
}

outcome fake_per_tensor(const suite_file& file, const json& c, report& report) {
  const auto p =
      qparams_from(number(file, c.at("scale")), number(file, c.at("zero_point")), range_from(c));
  return outcome::of(check_fake(file, c, file.read(c.at("x")).floats(), p, report));
}

outcome fixed_qparams(const suite_file& file, const json& c, report& report) {
  const auto p = qparams_from(number(file, c.at("scale")), number(file, c.at("zero_point")),
                              range_of(ctq::quint8));
  return outcome::of(check_fake(file, c, file.read(c.at("x")).floats(), p, report));
}

/// The same per channel.
std::string check_fake(const suite_file& file, const json& c, const shaped_tensor& x,
                       const obs::per_channel_qparams& p, report& report) {
  if (p.zero_point.size() != p.scale.size()) throw malformed("zero points that are no integers");
  auto y = file.numbers(c.at("y"));
  std::vector<double> q(y.size());
  obs::for_each_slice(x.shape, p.axis, [&](std::size_t i, std::size_t offset, std::size_t count) {
    define(q, y, offset, std::span(x.data).subspan(offset, count),
           {p.scale[i], p.zero_point[i], p.quant_min, p.quant_max}, report);
  });
  std::vector<float> got(x.data.size());
  obs::fake_quantize(x.data, x.shape, p, got);
  return difference("y", y, as_doubles(got));
}

outcome fake_per_channel(const suite_file& file, const json& c, report& report) {
  const shaped_tensor x(file.read(c.at("x")), integer<int>(c.at("axis")));
  obs::per_channel_qparams p;
  p.axis = x.axis;
  for (const ctq::qparams& channel : channels_of(file, c, x, range_from(c))) {
    p.scale.push_back(channel.scale);
    p.zero_point.push_back(channel.zero_point);
    p.quant_min = channel.quant_min;
    p.quant_max = channel.quant_max;
  }
  return outcome::of(check_fake(file, c, x, p, report));
}

/// A fake-quantize module in training: observe, take the parameters, apply them.
outcome fake_quantize_module(const suite_file& file, const json& c, ctq::semantics semantics,
                             report& report) {
  const std::string kind = c.at("kind");
  if (kind != "FakeQuantize") return outcome::not_covered(kind);
  json kwargs = c.at("kwargs");
  std::string name = kwargs.at("observer");
  kwargs.erase("observer");
  name.erase(0, name.find('.') + 1);  // aq.MinMaxObserver
  const auto type = observer_class_from(name);
  if (type == ctq::observer_class::none) return outcome::not_covered(kind + " with " + name);
  obs::any_observer o(observer_from(type, kwargs), semantics);

  std::string why;
  for (const json& step : c.at("steps")) {
    const shaped_tensor x(file.read(step.at("x")), o.record().args.ch_axis);
    o.observe(x.data, x.shape);
    const observer_state s = state_of(o);
    why += s.error + difference("min", file.numbers(step.at("min")), s.min) +
           difference("max", file.numbers(step.at("max")), s.max) +
           difference("scale", file.numbers(step.at("scale")), s.scale) +
           difference("zero_point", file.numbers(step.at("zero_point")), s.zero_point);
    if (!why.empty()) return outcome::of(why);
    why = o.is_per_channel() ? check_fake(file, step, x, *o.calculate_per_channel_qparams(), report)
                             : check_fake(file, step, x.data, *o.calculate_qparams(), report);
  }
  const observer_state s = state_of(o);
  return outcome::of(why + difference("scale", file.numbers(c.at("calc_scale")), s.scale) +
                     difference("zero_point", file.numbers(c.at("calc_zero_point")), s.zero_point));
}

}  // namespace

void run_quantize(const suite_file& file, ctq::semantics semantics, report& report) {
  for (const auto& [kind, cases] : file.doc().items()) {
    if (!cases.is_array()) continue;
    report.run(file, kind, [&](const json& c) {
      if (kind == "per_tensor") return per_tensor(file, c, report);
      if (kind == "per_channel") return per_channel(file, c, report);
      if (kind == "dynamic") return dynamic(file, c, report);
      if (kind == "fake_per_tensor") return fake_per_tensor(file, c, report);
      if (kind == "fake_per_channel") return fake_per_channel(file, c, report);
      if (kind == "fixed_qparams_fq") return fixed_qparams(file, c, report);
      if (kind == "fused_moving_avg") return fake_quantize_module(file, c, semantics, report);
      return outcome::not_covered(kind);
    });
  }
}

}  // namespace golden
