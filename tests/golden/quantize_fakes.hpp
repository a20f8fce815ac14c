// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ctq/kernels/cascade_sum.hpp"
#include "quantize_values.hpp"

// Fake quantize with its gradients: the functions, the ones that learn, and the modules in
// training.

namespace golden {

/// Empty if grad_x is what it should be; also if there is none to compare with. straight_through
/// writes it.
template <class StraightThrough>
std::string check_gradient(const suite_file& file, const json& c, std::size_t count,
                           StraightThrough straight_through) {
  if (!c.contains("grad_x") || c.at("grad_x").is_null()) return {};
  const std::vector<float> grad_out = file.read(c.at("grad_out")).floats();
  if (grad_out.size() != count) throw malformed("not one grad_out for each x");
  std::vector<float> grad_x(count);
  straight_through(std::span<const float>(grad_out), std::span<float>(grad_x));
  return difference("grad_x", file.numbers(c.at("grad_x")), as_doubles(grad_x));
}

/// y = fake_quantize(x). Real results only, so undefined ones are defined in y itself.
inline std::string check_y(const suite_file& file, const json& c, std::span<const float> x,
                           std::span<const float> got, const ctq::qparams& p, report& report) {
  auto y = file.numbers(c.at("y"));
  std::vector<double> q(y.size());
  define(q, y, 0, x, p, report);
  return difference("y", y, as_doubles(got));
}

/// The same per channel.
inline std::string check_y(const suite_file& file, const json& c, const shaped_tensor& x,
                           std::span<const float> got, const obs::per_channel_qparams& p,
                           report& report) {
  auto y = file.numbers(c.at("y"));
  std::vector<double> q(y.size());
  if (!p.zero_point.empty())
    obs::for_each_slice(x.shape, p.axis, [&](std::size_t i, std::size_t offset, std::size_t count) {
      define(q, y, offset, std::span(x.data).subspan(offset, count),
             {p.scale[i], p.zero_point[i], p.quant_min, p.quant_max}, report);
    });
  return difference("y", y, as_doubles(got));
}

inline outcome fake_per_tensor(const suite_file& file, const json& c, ctq::quant_range range,
                               report& report) {
  const auto p = qparams_from(number(file, c.at("scale")), number(file, c.at("zero_point")), range);
  const std::vector<float> x = file.read(c.at("x")).floats();
  std::vector<float> y(x.size());
  obs::fake_quantize(x, p, y);
  return outcome::of(check_y(file, c, x, y, p, report) +
                     check_gradient(file, c, x.size(), [&](auto grad_out, auto grad_x) {
                       obs::fake_quantize_gradient(x, p, grad_out, grad_x);
                     }));
}

inline outcome fake_per_channel(const suite_file& file, const json& c, report& report) {
  const shaped_tensor x(file.read(c.at("x")), integer<int>(c.at("axis")));
  const ctq::quant_range range = range_from(c);
  obs::per_channel_qparams p;
  p.axis = x.axis;
  p.quant_min = static_cast<std::int32_t>(range.min);
  p.quant_max = static_cast<std::int32_t>(range.max);
  if (file.read(c.at("zero_point")).dtype == "f32") {
    for (const double s : channel_numbers(file, c.at("scale"), x))
      p.scale.push_back(static_cast<float>(s));
    for (const double z : channel_numbers(file, c.at("zero_point"), x))
      p.float_zero_point.push_back(static_cast<float>(z));
  } else {
    for (const ctq::qparams& channel : channels_of(file, c, x, range)) {
      p.scale.push_back(channel.scale);
      p.zero_point.push_back(channel.zero_point);
    }
  }
  std::vector<float> y(x.data.size());
  obs::fake_quantize(x.data, x.shape, p, y);
  return outcome::of(check_y(file, c, x, y, p, report) +
                     check_gradient(file, c, y.size(), [&](auto grad_out, auto grad_x) {
                       obs::fake_quantize_gradient(x.data, x.shape, p, grad_out, grad_x);
                     }));
}

/// A sum of float32 terms, which PyTorch adds up in an order that depends on strides and threads.
struct float32_sum {
  float value{};
  double magnitude{};  // of the terms together

  /// What another order can change is a few roundings of the largest partial sum.
  [[nodiscard]] bool explains(double wanted) const {
    return std::abs(wanted - double{value}) <= magnitude * 0x1p-20;
  }
};

/// Known if the gradients of scale or zero point differ by no more than the order of a sum
/// explains.
inline outcome check_sums(const suite_file& file, const json& c, std::string why,
                          const std::vector<float32_sum>& scale,
                          const std::vector<float32_sum>& zero_point) {
  bool explained = true;
  const auto check = [&](const char* what, const std::vector<float32_sum>& sums) {
    const auto wanted = file.numbers(c.at(what));
    std::vector<double> got;
    for (const float32_sum& s : sums) got.push_back(double{s.value});
    for (std::size_t i = 0; i < std::min(wanted.size(), got.size()); ++i)
      explained = explained && sums[i].explains(wanted[i]);
    return difference(what, wanted, got);
  };
  const std::string sums = check("grad_scale", scale) + check("grad_zero_point", zero_point);
  if (why.empty() && !sums.empty() && explained) return outcome::known("order-of-float32-sums");
  return outcome::of(why + sums);
}

inline float32_sum sum_of(const std::vector<float>& terms) {
  float32_sum s{ctq::kernels::cascade_sum(terms), 0.0};
  for (const float t : terms) s.magnitude += std::abs(double{t});
  return s;
}

inline obs::learnable_qparams learnable_from(double scale, double zero_point, ctq::quant_range r) {
  return {static_cast<float>(scale), static_cast<float>(zero_point), r};
}

inline outcome learnable_per_tensor(const suite_file& file, const json& c, report& report) {
  const auto p =
      learnable_from(number(file, c.at("scale")), number(file, c.at("zero_point")), range_from(c));
  const std::vector<float> x = file.read(c.at("x")).floats();
  const std::vector<float> grad_out = file.read(c.at("grad_out")).floats();
  if (grad_out.size() != x.size()) throw malformed("not one grad_out for each x");
  std::vector<float> out(x.size());
  obs::fake_quantize(x, obs::rounded(p), out);
  std::string why = check_y(file, c, x, out, obs::rounded(p), report);

  const std::vector<float> same = with_x86_answers(x, p.scale, report);
  const double factor = c.at("grad_factor").get<double>();
  const auto g = obs::learnable_gradient(same, p, factor, grad_out, out);
  why += difference("grad_x", file.numbers(c.at("grad_x")), as_doubles(out));
  const obs::learnable_element element(obs::rounded_backward(p), factor);
  float32_sum scale{g.scale, 0.0}, zero_point{g.zero_point, 0.0};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto term = element(same[i], grad_out[i]);
    scale.magnitude += std::abs(double{term.scale});
    zero_point.magnitude += std::abs(double{term.zero_point});
  }
  return check_sums(file, c, why, {scale}, {zero_point});
}

inline outcome learnable_per_channel(const suite_file& file, const json& c, report& report) {
  const shaped_tensor x(file.read(c.at("x")), integer<int>(c.at("axis")));
  const auto scales = channel_numbers(file, c.at("scale"), x);
  const auto zero_points = channel_numbers(file, c.at("zero_point"), x);
  const std::vector<float> grad_out = file.read(c.at("grad_out")).floats();
  if (grad_out.size() != x.data.size()) throw malformed("not one grad_out for each x");
  std::vector<obs::learnable_qparams> p;
  obs::per_channel_qparams forward;
  forward.axis = x.axis;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    p.push_back(learnable_from(scales[i], zero_points[i], range_from(c)));
    const ctq::qparams channel = obs::rounded(p.back());
    forward.scale.push_back(channel.scale);
    forward.zero_point.push_back(channel.zero_point);
    forward.quant_min = channel.quant_min;
    forward.quant_max = channel.quant_max;
  }
  std::vector<float> out(x.data.size());
  obs::fake_quantize(x.data, x.shape, forward, out);
  std::string why = check_y(file, c, x, out, forward, report);

  std::vector<float> same(x.data.size());
  std::vector<std::vector<float>> terms(p.size()), zero_terms(p.size());
  const double factor = c.contains("grad_factor") ? c.at("grad_factor").get<double>() : 1.0;
  obs::for_each_slice(x.shape, x.axis, [&](std::size_t i, std::size_t offset, std::size_t count) {
    const auto part =
        with_x86_answers(std::span(x.data).subspan(offset, count), p[i].scale, report);
    std::copy(part.begin(), part.end(), same.begin() + static_cast<std::ptrdiff_t>(offset));
    const obs::learnable_element element(obs::rounded(p[i]), factor);
    for (std::size_t k = 0; k < count; ++k) {
      const auto term = element(part[k], grad_out[offset + k]);
      terms[i].push_back(term.scale);
      zero_terms[i].push_back(term.zero_point);
    }
  });
  const auto g = obs::learnable_gradient(same, x.shape, x.axis, p, factor, grad_out, out);
  why += difference("grad_x", file.numbers(c.at("grad_x")), as_doubles(out));
  std::vector<float32_sum> scale, zero_point;
  for (std::size_t i = 0; i < p.size(); ++i) {
    scale.push_back({g[i].scale, sum_of(terms[i]).magnitude});
    zero_point.push_back({g[i].zero_point, sum_of(zero_terms[i]).magnitude});
  }
  return check_sums(file, c, why, scale, zero_point);
}

inline ctq::observer_record fake_quantize_from(const json& c) {
  using enum ctq::fake_quantize_class;
  constexpr ctq::fake_quantize_class all[] = {fake_quantize, fused_moving_avg_obs_fake_quantize,
                                              fixed_qparams_fake_quantize};
  json kwargs = c.at("kwargs");
  const auto type = observer_class_from(kwargs.at("observer").get<std::string>());
  kwargs.erase("observer");
  ctq::observer_record r = observer_from(type, kwargs);
  r.fake_quantize = named(all, c.at("kind").get<std::string>());
  return r;
}

/// The rule by which a module may differ from PyTorch 1.13; empty if it may not.
inline std::string known_difference(const ctq::observer_record& r, ctq::semantics semantics) {
  if (r.fake_quantize == ctq::fake_quantize_class::fused_moving_avg_obs_fake_quantize &&
      !fused_fake_quantize_uses_dynamic_formula(semantics))
    return "fused-fake-quantize-has-one-formula";
  if (r.type == ctq::observer_class::histogram && !histogram_range_is_truncated(semantics))
    return "histogram-of-another-release";
  return {};
}

/// A fake-quantize module in training: observe, take the parameters, apply them; and what
/// conversion takes at the end.
inline std::string check_module(const suite_file& file, const json& c,
                                const ctq::observer_record& record, ctq::semantics semantics,
                                report& report) {
  obs::any_fake_quantize f(record, semantics);
  std::string why;
  for (const json& step : c.at("steps")) {
    const shaped_tensor x(file.read(step.at("x")), record.args.ch_axis);
    std::vector<float> y(x.data.size());
    if (const ctq::status s = f.forward(x.data, x.shape, y); !s) return s.error().message();
    const obs::per_channel_qparams& p = f.get_if<obs::observing_fake_quantize>()->parameters();
    const observer_state s = state_of(f.observer());
    const bool real = p.zero_point.empty();
    why = difference("min", file.numbers(step.at("min")), s.min) +
          difference("max", file.numbers(step.at("max")), s.max) +
          difference("scale", file.numbers(step.at("scale")), as_doubles(p.scale)) +
          difference("zero_point", file.numbers(step.at("zero_point")),
                     real ? as_doubles(p.float_zero_point) : as_doubles(p.zero_point));
    if (!why.empty()) return why;
    why = f.is_per_channel()
              ? check_y(file, step, x, y, p, report)
              : check_y(file, step, x.data, y,
                        {p.scale[0], p.zero_point[0], p.quant_min, p.quant_max}, report);
    why += check_gradient(file, step, y.size(), [&](auto grad_out, auto grad_x) {
      if (!f.backward(x.data, x.shape, grad_out, grad_x)) throw malformed("no gradient");
    });
    if (!why.empty()) return why;
  }
  const observer_state s = state_of(f.observer());
  return difference("calc_scale", file.numbers(c.at("calc_scale")), s.scale) +
         difference("calc_zero_point", file.numbers(c.at("calc_zero_point")), s.zero_point);
}

inline outcome fake_quantize_module(const suite_file& file, const json& c, ctq::semantics semantics,
                                    report& report) {
  const ctq::observer_record record = fake_quantize_from(c);
  std::string why = check_module(file, c, record, semantics, report);
  const std::string rule = known_difference(record, semantics);
  if (!why.empty() && !rule.empty()) return outcome::known(rule);
  return outcome::of(std::move(why));
}

}  // namespace golden
