// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/ops/backend_ops.hpp"
#include "ctq/spec/finding.hpp"
#include "ctq/spec/validate_fusion.hpp"
#include "ctq/spec/validate_observer.hpp"

// Checks a single pattern config.

namespace ctq::rules {

constexpr double largest_float = 3.4028234663852886e38;

constexpr bool is_scale(double x) { return x > 0 && x <= largest_float; }

/// Checks quant_min_lower_bound and quant_max_upper_bound.
constexpr void quant_bounds(findings& out, spec_place at, const dtype_with_constraints_record& c) {
  const optional_int& low = c.quant_min_lower_bound;
  const optional_int& high = c.quant_max_upper_bound;
  if (!low.given && !high.given) return;
  const quant_range range = range_of(c.dtype);
  const auto outside = [&](const optional_int& v) {
    return v.given && (v.value < range.min || v.value > range.max);
  };
  const bool blame_low = is_quantized(c.dtype) ? outside(low) || !outside(high) : low.given;
  at.part = blame_low ? "quant_min_lower_bound" : "quant_max_upper_bound";
  if (!is_quantized(c.dtype)) {
    out.error(rule::quant_bounds_outside_dtype, at, name_of(c.dtype), " has no integers");
  } else if (outside(low) || outside(high)) {
    out.error(rule::quant_bounds_outside_dtype, at, (blame_low ? low : high).value, " is outside ",
              name_of(c.dtype), ", which holds ", range.min, " to ", range.max);
  } else if (low.given && high.given && low.value > high.value) {
    out.error(rule::quant_bounds_reversed, at, low.value, " is above quant_max_upper_bound, ",
              high.value);
  }
}

constexpr void scale_not_positive(findings& out, const spec_place& at, double x) {
  static_text<32> number;
  append_decimal(number, x);
  out.error(rule::scale_not_positive, at, number.view(), " is not a positive, finite float32");
}

constexpr void scale_bounds(findings& out, spec_place at, const dtype_with_constraints_record& c) {
  const optional_real& low = c.scale_min_lower_bound;
  const optional_real& high = c.scale_max_upper_bound;
  at.part = "scale_min_lower_bound";
  if (low.given && !is_scale(low.value)) return scale_not_positive(out, at, low.value);
  if (low.given && high.given && is_scale(high.value) && low.value > high.value) {
    static_text<32> a, b;
    append_decimal(a, low.value);
    append_decimal(b, high.value);
    out.error(rule::scale_bounds_reversed, at, a.view(), " is above scale_max_upper_bound, ",
              b.view());
    return;
  }
  at.part = "scale_max_upper_bound";
  if (high.given && !is_scale(high.value)) scale_not_positive(out, at, high.value);
}

constexpr void exact_match(findings& out, spec_place at, const dtype_with_constraints_record& c) {
  const optional_real& scale = c.scale_exact_match;
  const optional_int& zero_point = c.zero_point_exact_match;
  if (!scale.given && !zero_point.given) return;
  at.part = "scale_exact_match";
  if (scale.given && !is_scale(scale.value)) return scale_not_positive(out, at, scale.value);
  if (!zero_point.given) {
    out.error(rule::exact_match, at, "without zero_point_exact_match");
    return;
  }
  at.part = "zero_point_exact_match";
  const quant_range range = range_of(c.dtype);
  if (!scale.given) {
    out.error(rule::exact_match, at, "without scale_exact_match");
  } else if (zero_point.value < range.min || zero_point.value > range.max) {
    out.error(rule::exact_match, at, zero_point.value, " is outside ", name_of(c.dtype),
              ", which holds ", range.min, " to ", range.max);
  }
}

constexpr void constraints(findings& out, spec_place at, std::string_view field,
                           const dtype_with_constraints_record& c) {
  // Fast path for a dtype without constraints: the compiler checks hundreds of them.
  const bool plain = !c.quant_min_lower_bound.given && !c.quant_max_upper_bound.given &&
                     !c.scale_min_lower_bound.given && !c.scale_max_upper_bound.given &&
                     !c.scale_exact_match.given && !c.zero_point_exact_match.given;
  if (plain) return;
  at.field = field;
  if (c.dtype == dtype::none) {
    out.warning(rule::constraint_without_dtype, at, "constraints without a dtype");
    return;
  }
  quant_bounds(out, at, c);
  scale_bounds(out, at, c);
  exact_match(out, at, c);
}

/// The op of the pattern with a weight, or nullptr.
constexpr op_id weighted_op(const backend_pattern_config_record& c) {
  if (c.root_module != nullptr) return c.root_module;
  for (const pattern_element& e : c.pattern.element)
    if (e.op != nullptr && e.op->descriptor->weights != op_weights::none) return e.op;
  return nullptr;
}

/// Whether the pattern contains a user-defined op, which may have a weight.
constexpr bool has_unknown_op(const backend_pattern_config_record& c) {
  for (const pattern_element& e : c.pattern.element)
    if (e.op != nullptr && !e.op->builtin) return true;
  return false;
}

/// PyTorch's own tables use the dtype configs of weighted ops for arithmetic and fixed-qparams ops,
/// and state float16 for all four dtypes; that is harmless.
constexpr bool tolerates_weight_dtype(const backend_pattern_config_record& c,
                                      const dtype_config_record& d) {
  if (d.weight_dtype.dtype == dtype::float16) return true;
  for (const pattern_element& e : c.pattern.element)
    if (e.op != nullptr &&
        (e.op->descriptor->is_arithmetic || has_fixed_qparams(*e.op->descriptor)))
      return true;
  return false;
}

/// Whether a kernel of PyTorch or ctq supports this combination of dtypes. An omitted dtype matches
/// any.
constexpr bool has_kernel_signature(const dtype_config_record& d) {
  const dtype in = d.input_dtype.dtype;
  const dtype out = d.output_dtype.dtype;
  const dtype weight = d.weight_dtype.dtype;
  const auto is = [](dtype given, auto... any) {
    return given == dtype::none || ((given == any) || ...);
  };
  const auto agree = [](dtype a, dtype b) {
    return a == dtype::none || b == dtype::none || a == b;
  };
  if (!is(d.bias_dtype, f32, f16, qint32)) return false;
  if (d.is_dynamic)
    return is(out, f32) &&
           ((is(in, quint8, qint8) && is(weight, qint8)) || (is(in, f16) && is(weight, f16)));
  if (is(in, quint8, qint8) && is(out, quint8, qint8) && agree(in, out))
    return is(weight, qint8, f32);
  if (is(in, f16) && is(out, f16)) return is(weight, f16);
  return is(in, f32) && is(out, f32) && is(weight, quint8, qint8, quint4x2, f32);
}

/// Checks the weight dtype of a config against the pattern.
constexpr void weight_of(findings& out, spec_place at, const backend_pattern_config_record& c,
                         const dtype_config_record& d) {
  const dtype weight = d.weight_dtype.dtype;
  if (weight != dtype::none && weighted_op(c) == nullptr && !has_unknown_op(c) &&
      !tolerates_weight_dtype(c, d)) {
    at.field = "weight_dtype";
    out.error(rule::weight_dtype_without_weight, at, name_of(weight),
              " is given, but no op of the pattern has a weight");
  }
}

/// Checks a dtype config independently of the pattern.
constexpr void dtypes(findings& out, spec_place at, const dtype_config_record& d) {
  constraints(out, at, "input_dtype", d.input_dtype);
  constraints(out, at, "output_dtype", d.output_dtype);
  constraints(out, at, "weight_dtype", d.weight_dtype);
  if (d.is_dynamic && is_quantized(d.output_dtype.dtype)) {
    at.field = "output_dtype";
    out.error(rule::dynamic_quantized_output, at, name_of(d.output_dtype.dtype),
              " is given, but dynamic quantization outputs float32");
  } else if (!has_kernel_signature(d)) {
    at.field = {};
    out.error(rule::no_kernel_signature, at, "no kernel supports input ",
              name_of(d.input_dtype.dtype), ", output ", name_of(d.output_dtype.dtype), ", weight ",
              name_of(d.weight_dtype.dtype), ", bias ", name_of(d.bias_dtype),
              d.is_dynamic ? ", dynamic" : "");
  }
}

/// The op whose output has another range than its input, or nullptr.
constexpr op_id op_that_changes_range(const pattern_record& p) {
  for (const pattern_element& e : p.element)
    if (e.op != nullptr &&
        (e.op->descriptor->weights != op_weights::none || e.op->descriptor->is_arithmetic ||
         has_fixed_qparams(*e.op->descriptor)))
      return e.op;
  return nullptr;
}

constexpr void observation(findings& out, spec_place at, const backend_pattern_config_record& c) {
  if (c.observation_type != observation_type::output_share_observer_with_input) return;
  const op_id changer = op_that_changes_range(c.pattern);
  at.field = "observation_type";
  if (changer != nullptr)
    out.error(rule::share_observer_range, at, "the output of ", changer->name,
              " has another range than its input");
}

constexpr void input_index(findings& out, spec_place at, const input_index_record& index) {
  at.field = "input_type_to_index";
  const int list[] = {index.input, index.weight, index.bias};
  for (int i = 0; i < 3; ++i) {
    if (list[i] < -1) {
      out.error(rule::input_index, at, list[i], " is not a position of an argument");
      return;
    }
    for (int k = 0; k < i; ++k) {
      if (list[i] < 0 || list[i] != list[k]) continue;
      out.error(rule::input_index, at, "position ", list[i], " is given twice");
      return;
    }
  }
}

constexpr void pattern_form(findings& out, spec_place at, const pattern_record& p) {
  at.field = "pattern";
  if (p.element.empty()) {
    out.error(rule::pattern_form, at, "a pattern names at least one op");
  } else if (p.anchor() == nullptr) {
    out.error(rule::pattern_form, at, "MatchAllNode stands for an argument, not for the pattern");
  }
}

///   dtypes_are_fine  the dtype configs were already checked in another config, without findings
constexpr void pattern_config(findings& out, int i, const backend_pattern_config_record& c,
                              bool dtypes_are_fine = false) {
  const spec_place at{i, -1, {}, {}};
  pattern_form(out, at, c.pattern);
  if (c.pattern.element.empty() || c.pattern.anchor() == nullptr) return;
  modules(out, at, c);
  observation(out, at, c);
  paths(out, at, c);
  input_index(out, at, c.input_type_to_index);
  for (const observer_record& o : c.overwrite_output_observer)
    observer(out, {i, -1, "overwrite_output_observer", {}}, o);
  for (int k = 0; k < c.dtype_configs.size(); ++k) {
    weight_of(out, {i, k, {}, {}}, c, c.dtype_configs[k]);
    if (!dtypes_are_fine) dtypes(out, {i, k, {}, {}}, c.dtype_configs[k]);
  }
}

}  // namespace ctq::rules
