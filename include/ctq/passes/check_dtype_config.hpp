// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/node.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig.hpp"

// Whether a dtype config of a backend fits a qconfig, or the first clause that does not, which ctq
// reports as an error; PyTorch leaves the node in float.

namespace ctq {

/// The dtypes of a node's values if its pattern is accepted, as its qconfig requests them.
/// dtype::none: not a tensor of numbers.
struct planned_dtypes {
  dtype input = f32;
  bool is_dynamic = false;
  dtype weight = f32;
  dtype bias = f32;
  dtype output = f32;
};

/// The dtypes that a qconfig requests. The output of a dynamically quantized op is float.
[[nodiscard]] constexpr planned_dtypes dtypes_of(const qconfig_record& q) {
  const observer_args& act = q.activation.args;
  const dtype weight = q.weight.args.dtype;
  const bool half = act.dtype == f16 && weight == f16 && !act.is_dynamic;
  const observer_args& out = q.for_output().args;
  return {act.dtype, act.is_dynamic, weight, half ? f16 : f32, out.is_dynamic ? f32 : out.dtype};
}

/// Which kinds of arguments the root of a pattern has.
struct root_arguments {
  bool activation = false;
  bool weight = false;  // an argument, or the module's own
  bool bias = false;

  [[nodiscard]] constexpr int bits() const {
    return (activation ? 1 : 0) + (weight ? 2 : 0) + (bias ? 4 : 0);
  }
};

namespace accepting {

/// Whether the observer has quant_min and quant_max, or an eps.
constexpr bool has_range(observer_class c) {
  return c != observer_class::placeholder && c != observer_class::noop &&
         c != observer_class::recording && c != observer_class::reuse_input;
}
constexpr bool has_eps(observer_class c) {
  return (has_range(c) && c != observer_class::fixed_qparams) || c == observer_class::placeholder;
}

/// If a config requires an exact scale and zero point, only a fixed-qparams observer with these
/// fits.
constexpr rejection exact_pair_holds(rejection::value of, const dtype_with_constraints_record& want,
                                     const observer_record& observer) {
  if (!want.scale_exact_match.given || !want.zero_point_exact_match.given) return {};
  const observer_args& a = observer.args;
  const auto scale = static_cast<float>(want.scale_exact_match.value);
  const bool fixed = observer.type == observer_class::fixed_qparams;
  if (fixed && a.scale == scale && a.zero_point == want.zero_point_exact_match.value) return {};
  return {rejection::clause::exact_match, of, fixed ? static_cast<double>(a.scale) : 0.0,
          want.scale_exact_match.value};
}

constexpr rejection constraints_hold(rejection::value of, const dtype_with_constraints_record& want,
                                     const observer_record& observer) {
  using clause = rejection::clause;
  if (want.dtype == dtype::none || observer.args.dtype != want.dtype) return {};
  const observer_args& a = observer.args;
  if (want.quant_min_lower_bound.given && want.quant_max_upper_bound.given) {
    if (!has_range(observer.type)) return {clause::no_range, of, 0, 0};
    const quant_range range = range_of(a);
    if (range.min < want.quant_min_lower_bound.value)
      return {clause::quant_min, of, static_cast<double>(range.min),
              static_cast<double>(want.quant_min_lower_bound.value)};
    if (range.max > want.quant_max_upper_bound.value)
      return {clause::quant_max, of, static_cast<double>(range.max),
              static_cast<double>(want.quant_max_upper_bound.value)};
  }
  const double eps = has_eps(observer.type) ? static_cast<double>(a.eps) : 0.0;
  if (want.scale_min_lower_bound.given && !(eps >= want.scale_min_lower_bound.value))
    return {clause::scale_min, of, eps, want.scale_min_lower_bound.value};
  return exact_pair_holds(of, want, observer);
}

/// A config without a dtype accepts any.
constexpr rejection value_fits(rejection::value of, const dtype_with_constraints_record& want,
                               dtype planned, const observer_record& observer) {
  if (want.dtype == dtype::none) return {};
  if (want.dtype != planned)
    return {rejection::clause::dtype, of, static_cast<double>(planned),
            static_cast<double>(want.dtype)};
  return constraints_hold(of, want, observer);
}

}  // namespace accepting

/// Why the config does not fit; clause::none if it does.
///   has     the arguments of the pattern's root
///   root    the planned dtypes of the root
///   output  the planned dtype of the output of the pattern's last node
///   q       the qconfig of the node in question
[[nodiscard]] constexpr rejection accepts(const dtype_config_record& config,
                                          const root_arguments& has, const planned_dtypes& root,
                                          dtype output, const qconfig_record& q) {
  using value = rejection::value;
  using clause = rejection::clause;
  const bool asks_input = has.activation && config.input_dtype.dtype != dtype::none;
  if (asks_input && root.is_dynamic != config.is_dynamic)
    return {clause::is_dynamic, value::input, static_cast<double>(root.is_dynamic),
            static_cast<double>(config.is_dynamic)};
  rejection r{};
  if (has.activation)
    r = accepting::value_fits(value::input, config.input_dtype, root.input, q.activation);
  if (r.why == clause::none && has.weight)
    r = accepting::value_fits(value::weight, config.weight_dtype, root.weight, q.weight);
  if (r.why == clause::none && has.bias && config.bias_dtype != dtype::none &&
      config.bias_dtype != root.bias)
    r = {clause::dtype, value::bias, static_cast<double>(root.bias),
         static_cast<double>(config.bias_dtype)};
  if (r.why == clause::none)
    r = accepting::value_fits(value::output, config.output_dtype, output, q.for_output());
  return r;
}

/// The same if the whole pattern has one qconfig.
///   owns_weight  whether the root is a module with a weight
[[nodiscard]] constexpr rejection accepts(const dtype_config_record& config,
                                          const qconfig_record& q, bool owns_weight) {
  const planned_dtypes planned = dtypes_of(q);
  return accepts(config, {.activation = true, .weight = owns_weight}, planned, planned.output, q);
}

}  // namespace ctq
