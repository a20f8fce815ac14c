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
  if (bad(c.scale_min_lower_bound)) {
    d.line("field: ", field, ".scale_min");
  } else if (bad(c.scale_max_upper_bound)) {
    d.line("field: ", field, ".scale_max");
  } else if (c.scale_min_lower_bound.given && c.scale_max_upper_bound.given &&
             c.scale_min_lower_bound.value > c.scale_max_upper_bound.value) {
    d.line("field: ", field, ".scale_min").line("is above scale_max");
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
    d.line("field: ", field, ".eps").line("eps is positive: it is the least scale");
  }
}

}  // namespace rules

[[nodiscard]] constexpr diagnostic validate(const backend_view& backend) {
  for (int i = 0; i < backend.count; ++i) {
    const backend_pattern_config_record& c = backend.configs[i];
    for (int k = 0; k < c.dtype_config_count; ++k) {
      const dtype_config_record& config = backend.dtype_configs[c.first_dtype_config + k];
      diagnostic d;
      rules::constraints(d, "input_dtype", config.input_dtype);
      rules::constraints(d, "output_dtype", config.output_dtype);
      rules::constraints(d, "weight_dtype", config.weight_dtype);
      if (!d.any()) continue;
      diagnostic whole;
      whole.line("the backend is not well-formed:");
      whole.line("backend: ", backend.name);
      static_text<200> pattern;
      append_pattern(pattern, c.pattern);
      whole.line("pattern: ", pattern.view());
      whole.line("dtype_config: #", k, " of ", c.dtype_config_count);
      whole.line(d.message());
      return whole;
    }
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
