// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/containers/span.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/result.hpp"
#include "ctq/spec/observer.hpp"

// FixedQParamsObserver: scale and zero point are given and do not depend on the data.

namespace ctq::observers {

/// Ignores all data.
class fixed_qparams {
 public:
  explicit fixed_qparams(const observer_args& args) : args_(args) {}

  [[nodiscard]] const observer_args& args() const { return args_; }

  void observe(span<const float>) {}
  void merge(const fixed_qparams&) {}
  [[nodiscard]] bool observed() const { return true; }

  /// Errors  a scale that is not positive, a zero point outside the range
  [[nodiscard]] result<qparams> calculate_qparams() const {
    const quant_range range = range_of(args_);
    if (!(args_.scale > 0.0F)) return fail("FixedQParamsObserver", "the scale is not positive");
    if (args_.zero_point < range.min || args_.zero_point > range.max)
      return fail("FixedQParamsObserver", "the zero point is outside the range of the dtype");
    return qparams{args_.scale, static_cast<std::int32_t>(args_.zero_point),
                   static_cast<std::int32_t>(range.min), static_cast<std::int32_t>(range.max)};
  }

  friend bool operator==(const fixed_qparams&, const fixed_qparams&) = default;

 private:
  observer_args args_;
};

}  // namespace ctq::observers
