// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/spec/dtype_with_constraints.hpp"
#include "ctq/spec/observer.hpp"

// Enforces the bounds of a backend on scales where they are computed. PyTorch only compares eps
// with the backend's lower bound and does not check the upper bound.

namespace ctq::observers {

/// The record with eps raised to the backend's lower bound of the scale.
[[nodiscard]] inline observer_record within(observer_record r,
                                            const dtype_with_constraints_record& bounds,
                                            semantics s = {}) {
  if (scale_bounds_are_enforced(s) && bounds.scale_min_lower_bound.given) {
    // The bound may not be a float: round up to the next one.
    const double least = bounds.scale_min_lower_bound.value;
    auto eps = static_cast<float>(least);
    if (static_cast<double>(eps) < least)
      eps = std::nextafter(eps, std::numeric_limits<float>::max());
    r.args.eps = std::max(r.args.eps, eps);
  }
  return r;
}

/// Errors  a scale outside the backend's bounds
[[nodiscard]] inline status check_bounds(float scale, const dtype_with_constraints_record& bounds,
                                         semantics s = {}) {
  const auto real = static_cast<double>(scale);
  const auto shortest = [](auto x) {
    char text[40];
    return std::string(text, std::to_chars(text, text + sizeof text, x).ptr);
  };
  const auto against = [&](const char* side, double bound) {
    return fail("scale",
                shortest(scale) + " is " + side + " the backend's bound " + shortest(bound));
  };
  if (!scale_bounds_are_enforced(s)) return done{};
  const auto& least = bounds.scale_min_lower_bound;
  const auto& most = bounds.scale_max_upper_bound;
  if (least.given && real < least.value) return against("below", least.value);
  if (most.given && real > most.value) return against("above", most.value);
  return done{};
}

}  // namespace ctq::observers
