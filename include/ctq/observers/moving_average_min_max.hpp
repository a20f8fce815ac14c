// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/containers/span.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/observers/aminmax.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/spec/observer.hpp"

// MovingAverageMinMaxObserver: the range of a batch, averaged over batches.

namespace ctq::observers {

/// old + averaging_constant * (now - old), in float32; the first range is copied.
[[nodiscard]] inline extrema moving_average(const extrema& old, const extrema& now,
                                            double averaging_constant) {
  if (!old.observed()) return now;
  const auto part = static_cast<float>(averaging_constant);
  return {old.min + no_contract(part * (now.min - old.min)),
          old.max + no_contract(part * (now.max - old.max)), old.saw_nan || now.saw_nan};
}

/// After NaN in the data calculate_qparams returns an error.
class moving_average_min_max {
 public:
  explicit moving_average_min_max(const observer_args& args, semantics s = {})
      : args_(args), semantics_(s) {}

  /// An empty tensor changes nothing.
  template <class Isa = isa::native>
  void observe(span<const float> data) {
    if (!data.empty()) seen_ = moving_average(seen_, aminmax<Isa>(data), args_.averaging_constant);
  }

  [[nodiscard]] bool observed() const { return seen_.observed(); }
  [[nodiscard]] const extrema& seen() const { return seen_; }
  [[nodiscard]] const observer_args& args() const { return args_; }

  /// Scale 1 and zero point 0 if nothing was observed.
  /// Errors  NaN; as observers::calculate_qparams
  [[nodiscard]] result<qparams> calculate_qparams() const {
    return observers::calculate_qparams(args_, seen_, semantics_);
  }

 private:
  observer_args args_;
  semantics semantics_;
  extrema seen_;
};

}  // namespace ctq::observers
