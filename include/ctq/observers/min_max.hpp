// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/containers/span.hpp"
#include "ctq/observers/aminmax.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/spec/observer.hpp"

// MinMaxObserver: the range of all observed values.

namespace ctq::observers {

/// After NaN in the data calculate_qparams returns an error.
class min_max {
 public:
  explicit min_max(const observer_args& args, semantics s = {}) : args_(args), semantics_(s) {}

  /// An empty tensor changes nothing.
  template <class Isa = isa::native>
  void observe(span<const float> data) {
    seen_.merge(aminmax<Isa>(data));
  }

  /// Requires  equal arguments
  void merge(const min_max& other) { seen_.merge(other.seen_); }

  [[nodiscard]] bool observed() const { return seen_.observed(); }
  [[nodiscard]] const extrema& seen() const { return seen_; }
  [[nodiscard]] const observer_args& args() const { return args_; }

  /// Scale 1 and zero point 0 if nothing was observed.
  /// Errors  NaN; as observers::calculate_qparams
  [[nodiscard]] result<qparams> calculate_qparams() const {
    return observers::calculate_qparams(args_, seen_, semantics_);
  }

  friend bool operator==(const min_max&, const min_max&) = default;

 private:
  observer_args args_;
  semantics semantics_;
  extrema seen_;
};

}  // namespace ctq::observers
