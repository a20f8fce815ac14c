// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/core/dtype.hpp"
#include "ctq/core/real.hpp"
#include "ctq/spec/observer.hpp"

// A dtype, and the constraints of a backend on its integers and its scale:
//   dtype_with_constraints<qint8, quant_min<-127>, quant_max<127>, scale_min<0x1p-12>>

namespace ctq {

/// An optional number.
struct optional_real {
  double value{};
  bool given{};

  constexpr optional_real() = default;
  constexpr optional_real(double v) : value(v), given(true) {}  // NOLINT

  friend constexpr bool operator==(const optional_real&, const optional_real&) = default;
};

/// PyTorch's DTypeWithConstraints. dtype none: this value is not constrained.
struct dtype_with_constraints_record {
  ctq::dtype dtype = ctq::dtype::none;
  optional_int quant_min_lower_bound{};
  optional_int quant_max_upper_bound{};
  optional_real scale_min_lower_bound{};
  optional_real scale_max_upper_bound{};
  optional_real scale_exact_match{};
  optional_int zero_point_exact_match{};

  friend constexpr bool operator==(const dtype_with_constraints_record&,
                                   const dtype_with_constraints_record&) = default;
};

/// The lower bound of an observer's quant_min.
template <std::int64_t Bound>
struct quant_min {
  static constexpr void apply(dtype_with_constraints_record& r) { r.quant_min_lower_bound = Bound; }
};

/// The upper bound of an observer's quant_max.
template <std::int64_t Bound>
struct quant_max {
  static constexpr void apply(dtype_with_constraints_record& r) { r.quant_max_upper_bound = Bound; }
};

/// The lower bound of the scale; an observer guarantees it by its eps.
template <real Bound>
struct scale_min {
  static constexpr void apply(dtype_with_constraints_record& r) {
    r.scale_min_lower_bound = Bound.value;
  }
};

/// The upper bound of the scale; checked by convert.
template <real Bound>
struct scale_max {
  static constexpr void apply(dtype_with_constraints_record& r) {
    r.scale_max_upper_bound = Bound.value;
  }
};

/// The only allowed scale and zero point, as for sigmoid; set by fixed_qparams_observer.
template <real Scale, std::int64_t ZeroPoint>
struct exact_qparams {
  static constexpr void apply(dtype_with_constraints_record& r) {
    r.scale_exact_match = Scale.value;
    r.zero_point_exact_match = ZeroPoint;
  }
};

/// A DTypeWithConstraints as a type.
template <dtype Dtype, class... Constraint>
struct dtype_with_constraints {
  static constexpr dtype_with_constraints_record value = [] {
    dtype_with_constraints_record r{.dtype = Dtype};
    (Constraint::apply(r), ...);
    return r;
  }();
};

}  // namespace ctq
