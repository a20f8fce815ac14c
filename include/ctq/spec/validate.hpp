// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/report.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/name_regex.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// Is a spec well-formed in itself? Each rule fills a diagnostic with the first thing that is wrong.
// The same functions serve compile errors (checked_backend, checked_mapping) and run time.

namespace ctq {

namespace rules {

/// An integer bound lies outside what the dtype can hold.
constexpr void bound_in_dtype(diagnostic& d, std::string_view field, dtype type,
                              const optional_int& low, const optional_int& high) {
  if (d.any() || !is_quantized(type)) return;
  const quant_range range = range_of(type);
  const auto outside = [&](const optional_int& v) {
    return v.given && (v.value < range.min || v.value > range.max);
  };
  if (outside(low)) {
    d.line("field: ", field, ".quant_min: ", low.value);
  } else if (outside(high)) {
    d.line("field: ", field, ".quant_max: ", high.value);
  } else if (low.given && high.given && low.value > high.value) {
    d.line("field: ", field, ".quant_min: ", low.value);
    d.line("is above quant_max: ", high.value);
    return;
  } else {
    return;
  }
  d.line(name_of(type), " allows: ", range.min, " to ", range.max);
}

/// A scale bound is not a positive finite number, or the lower is above the upper.
constexpr void scale_bounds(diagnostic& d, std::string_view field,
                            const dtype_with_constraints_record& c) {
  if (d.any()) return;
  const auto bad = [](const optional_real& v) {
    return v.given && !(v.value > 0 && v.value <= 3.4028234663852886e38);
  };
  const auto show = [&d](const optional_real& v) { append_decimal(d.text, v.value); };
  if (bad(c.scale_min_lower_bound)) {
    d.line("field: ", field, ".scale_min: ");
    show(c.scale_min_lower_bound);
  } else if (bad(c.scale_max_upper_bound)) {
    d.line("field: ", field, ".scale_max: ");
    show(c.scale_max_upper_bound);
  } else if (c.scale_min_lower_bound.given && c.scale_max_upper_bound.given &&
             c.scale_min_lower_bound.value > c.scale_max_upper_bound.value) {
    d.line("field: ", field, ".scale_min: ");
    show(c.scale_min_lower_bound);
    d.line("is above scale_max: ");
    show(c.scale_max_upper_bound);
    return;
  } else {
    return;
  }
  d.line("a scale is positive and finite");
}

constexpr void constraints(diagnostic& d, std::string_view field,
                           const dtype_with_constraints_record& c) {
  bound_in_dtype(d, field, c.dtype, c.quant_min_lower_bound, c.quant_max_upper_bound);
  scale_bounds(d, field, c);
}

/// What an observer is asked to produce must fit its dtype and contain zero.
constexpr void observer_range(diagnostic& d, std::string_view field, const observer_record& o) {
  bound_in_dtype(d, field, o.args.dtype, o.args.quant_min, o.args.quant_max);
  if (d.any()) return;
  if (o.args.quant_min.given != o.args.quant_max.given) {
    d.line("field: ", field);
    d.line("quant_min and quant_max come together");
  } else if (o.args.quant_min.given && (o.args.quant_min.value > 0 || o.args.quant_max.value < 0)) {
    d.line("field: ", field, ".quant_min, quant_max");
    d.line("the range must contain 0");
  } else if (!(o.args.eps > 0)) {
    d.line("field: ", field, ".eps: ");
    append_decimal(d.text, static_cast<double>(o.args.eps));
    d.line("eps is positive: the least scale");
  }
}

/// A fused module takes the place of ops that follow one another: what a tree reads besides would
/// be lost.
constexpr void fused_chain(diagnostic& d, const backend_pattern_config_record& c) {
  if (c.fuser == fuser_kind::none) return;
  for (const pattern_element& e : c.pattern.element)
    if (e.args > 1 && !d.any())
      d.line("field: fused_module").line("only a chain of ops can be fused");
}

constexpr void pattern_config(diagnostic& d, const backend_view& backend,
                              const backend_pattern_config_record& c) {
  fused_chain(d, c);
  for (int k = 0; k < c.dtype_config_count && !d.any(); ++k) {
    const dtype_config_record& config = backend.dtype_configs[c.first_dtype_config + k];
    diagnostic field;
    constraints(field, "input_dtype", config.input_dtype);
    constraints(field, "output_dtype", config.output_dtype);
    constraints(field, "weight_dtype", config.weight_dtype);
    if (field.any())
      d.line("dtype_config: #", k, " of ", c.dtype_config_count).line(field.message());
  }
}

}  // namespace rules

[[nodiscard]] constexpr diagnostic validate(const backend_view& backend) {
  for (int i = 0; i < backend.count; ++i) {
    diagnostic d;
    rules::pattern_config(d, backend, backend.configs[i]);
    if (!d.any()) continue;
    diagnostic whole;
    whole.line("the backend is not well-formed:").line("backend: ", backend.name);
    static_text<200> pattern;
    append_pattern(pattern, backend.configs[i].pattern);
    whole.line("pattern: ", pattern.view()).line(d.message());
    return whole;
  }
  return {};
}

[[nodiscard]] constexpr diagnostic validate(const mapping_view& mapping) {
  for (int i = 0; i < mapping.count; ++i) {
    const mapping_entry& e = mapping.entries[i];
    diagnostic d;
    if (e.quantizes) {
      rules::observer_range(d, "activation", e.qconfig.activation);
      rules::observer_range(d, "weight", e.qconfig.weight);
    }
    if (!d.any() && e.level == mapping_level::module_name_regex && !name_regex{e.module}.valid())
      d.line("not a regular expression known here:").line(e.module);
    if (!d.any()) continue;
    diagnostic whole;
    whole.line("the QConfigMapping is not well-formed:");
    whole.line("entry: #", i, " of ", mapping.count, ", ", name_of(e.level));
    whole.line(d.message());
    return whole;
  }
  return {};
}

template <class Backend>
struct backend_check {
  static constexpr diagnostic found = validate(backend_v<Backend>);
  static constexpr bool bad() { return found.any(); }
  static constexpr auto message() { return found.text; }
};

template <class Mapping>
struct mapping_check {
  static constexpr diagnostic found = validate(mapping_v<Mapping>);
  static constexpr bool bad() { return found.any(); }
  static constexpr auto message() { return found.text; }
};

/// Derive from it to have a backend checked: an error says which field of which config is wrong.
template <class Backend>
struct checked_backend : report<backend_check<Backend>> {};

template <class Mapping>
struct checked_mapping : report<mapping_check<Mapping>> {};

}  // namespace ctq
