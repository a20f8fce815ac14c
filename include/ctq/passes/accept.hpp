// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/node.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig.hpp"

// Does a backend's dtype config fit what a qconfig asks for? The answer is the first clause that
// does not. Unlike PyTorch this also looks at the weights of modules, and an error is an error:
// PyTorch would leave the node in float and go on.

namespace ctq {

namespace accepting {

/// An exact pair is asked of observers that have one: PyTorch's fixed-qparams ops. Half precision
/// throughout needs no pair.
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
  if (want.dtype == dtype::none) return {};
  const observer_args& a = observer.args;
  if (a.dtype != want.dtype)
    return {clause::dtype, of, static_cast<double>(a.dtype), static_cast<double>(want.dtype)};
  const bool has_bounds = want.quant_min_lower_bound.given && want.quant_max_upper_bound.given;
  if (has_bounds) {
    if (observer.type == observer_class::placeholder) return {clause::no_range, of, 0, 0};
    const quant_range range = range_of(a);
    if (range.min < want.quant_min_lower_bound.value)
      return {clause::quant_min, of, static_cast<double>(range.min),
              static_cast<double>(want.quant_min_lower_bound.value)};
    if (range.max > want.quant_max_upper_bound.value)
      return {clause::quant_max, of, static_cast<double>(range.max),
              static_cast<double>(want.quant_max_upper_bound.value)};
  }
  if (want.scale_min_lower_bound.given && !(a.eps >= want.scale_min_lower_bound.value))
    return {clause::scale_min, of, a.eps, want.scale_min_lower_bound.value};
  return exact_pair_holds(of, want, observer);
}

}  // namespace accepting

/// Why the config does not fit; clause::none if it does. has_weight: the root owns one.
[[nodiscard]] constexpr rejection accepts(const dtype_config_record& config,
                                          const qconfig_record& q, bool has_weight) {
  using value = rejection::value;
  using clause = rejection::clause;
  if (q.activation.args.is_dynamic != config.is_dynamic)
    return {clause::is_dynamic, value::input, static_cast<double>(q.activation.args.is_dynamic),
            static_cast<double>(config.is_dynamic)};
  rejection r = accepting::constraints_hold(value::input, config.input_dtype, q.activation);
  if (r.why == clause::none && has_weight)
    r = accepting::constraints_hold(value::weight, config.weight_dtype, q.weight);
  if (r.why == clause::none && !config.is_dynamic)
    r = accepting::constraints_hold(value::output, config.output_dtype, q.activation);
  return r;
}

}  // namespace ctq
