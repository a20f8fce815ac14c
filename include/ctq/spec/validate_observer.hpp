// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/shape.hpp"
#include "ctq/core/text.hpp"
#include "ctq/spec/finding.hpp"
#include "ctq/spec/observer.hpp"

// Checks the arguments of an observer in a QConfigMapping or a backend.

namespace ctq::rules {

constexpr bool is_histogram(observer_class c) {
  return c == observer_class::histogram || c == observer_class::power_of_two_histogram;
}
constexpr bool is_moving_average(observer_class c) {
  return c == observer_class::moving_average_min_max ||
         c == observer_class::moving_average_per_channel_min_max;
}
constexpr bool has_statistics(observer_class c) {
  return c == observer_class::min_max || is_moving_average(c) || is_histogram(c) ||
         is_per_channel(c);
}

/// Checks that both bounds or none are given, inside the dtype, in ascending order, with 0 between
/// them.
constexpr void observer_range(findings& out, spec_place at, const observer_args& a) {
  if (!a.quant_min.given && !a.quant_max.given) return;
  const quant_range range = range_of(a.dtype);
  const auto outside = [&range](const optional_int& v) {
    return v.given && (v.value < range.min || v.value > range.max);
  };
  at.part = outside(a.quant_min) || !outside(a.quant_max) ? "quant_min" : "quant_max";
  constexpr rule r = rule::observer_quant_range;
  if (outside(a.quant_min) || outside(a.quant_max)) {
    out.error(r, at, (outside(a.quant_min) ? a.quant_min : a.quant_max).value, " is outside ",
              name_of(a.dtype), ", which holds ", range.min, " to ", range.max);
  } else if (a.quant_min.given != a.quant_max.given) {
    out.error(r, at, "quant_min and quant_max must be given together");
  } else if (a.quant_min.value >= a.quant_max.value) {
    out.error(r, at, a.quant_min.value, " is not below quant_max, ", a.quant_max.value);
  } else if (a.quant_min.value > 0 || a.quant_max.value < 0) {
    out.error(r, at, "the range ", a.quant_min.value, " to ", a.quant_max.value,
              " does not contain 0");
  }
}

constexpr bool is_positive(float x) { return x > 0 && x <= 3.4028234663852886e38F; }

constexpr void not_allowed(findings& out, rule r, const spec_place& at, double x,
                           std::string_view why) {
  static_text<32> number;
  append_decimal(number, x);
  out.error(r, at, number.view(), why);
}

constexpr spec_place part(spec_place at, std::string_view name) {
  at.part = name;
  return at;
}

/// Checks the arguments that only observers of some classes have.
constexpr void arguments(findings& out, const spec_place& at, const observer_record& o) {
  const observer_args& a = o.args;
  constexpr rule r = rule::observer_argument;
  constexpr auto axes = static_cast<int>(max_rank);
  if (is_moving_average(o.type) && !(a.averaging_constant >= 0 && a.averaging_constant <= 1))
    not_allowed(out, r, part(at, "averaging_constant"), a.averaging_constant,
                " is not a weight of a new batch: 0 to 1");
  if (is_per_channel(o.type) && (a.ch_axis < -axes || a.ch_axis >= axes))
    out.error(r, part(at, "ch_axis"), a.ch_axis, " is not an axis: ", -axes, " to ", axes - 1);
  if (!is_histogram(o.type)) return;
  const int least = o.type == observer_class::histogram ? 1 : 2;
  if (a.bins < least || a.bins > max_bins)
    out.error(r, part(at, "bins"), a.bins, " is not a number of bins: ", least, " to ", max_bins);
  if (o.type == observer_class::histogram && a.upsample_rate < 1)
    out.error(r, part(at, "upsample_rate"), a.upsample_rate,
              " is not a number of parts of a bin: from 1");
}

constexpr void no_integers(findings& out, const spec_place& at, const observer_record& o) {
  out.error(rule::observer_dtype, part(at, "dtype"), name_of(o.args.dtype), " has no integers, ",
            name_of(o.type), " needs a quantized dtype");
}

/// Checks scale and zero point of a FixedQParamsObserver.
constexpr void fixed_qparams(findings& out, const spec_place& at, const observer_record& o) {
  const observer_args& a = o.args;
  if (!is_quantized(a.dtype)) return no_integers(out, at, o);
  observer_range(out, at, a);
  constexpr rule r = rule::observer_argument;
  if (!is_positive(a.scale))
    not_allowed(out, r, part(at, "scale"), static_cast<double>(a.scale),
                " is not positive and finite");
  const quant_range range = range_of(a);
  if (a.zero_point < range.min || a.zero_point > range.max)
    out.error(r, part(at, "zero_point"), a.zero_point, " is outside the range of ",
              name_of(a.dtype), ", ", range.min, " to ", range.max);
}

constexpr void observer(findings& out, const spec_place& at, const observer_record& o) {
  if (o.fake_quantize != fake_quantize_class::none && !problem_inside(o).empty()) {
    out.error(rule::fake_quantize_observer, part(at, "observer"), name_of(o.type), " inside ",
              name_of(o.fake_quantize), ": ", problem_inside(o));
    return;
  }
  if (o.type == observer_class::fixed_qparams) return fixed_qparams(out, at, o);
  if (!has_statistics(o.type)) return;
  if (!is_quantized(o.args.dtype)) return no_integers(out, at, o);
  observer_range(out, at, o.args);
  if (!is_positive(o.args.eps))
    not_allowed(out, rule::observer_eps, part(at, "eps"), static_cast<double>(o.args.eps),
                " is not positive and finite");
  arguments(out, at, o);
  if (is_per_channel(o.type) != is_per_channel(o.args.qscheme)) {
    out.error(rule::observer_qscheme, part(at, "qscheme"), name_of(o.type), " cannot be ",
              name_of(o.args.qscheme));
  } else if (o.type != observer_class::histogram && reduces_symmetric_quint8(o.args)) {
    out.error(rule::observer_qscheme, part(at, "reduce_range"),
              "symmetric quint8 cannot be reduced: its zero point is 128");
  }
}

}  // namespace ctq::rules
