// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/spec/dtype_with_constraints.hpp"

// One combination of dtypes that a backend supports for a pattern:
//   dtype_config<input_dtype<act>, output_dtype<act>, weight_dtype<weights>, bias_dtype<f32>>
// where act and weights are dtype_with_constraints<...>. Omitted dtypes are not constrained.

namespace ctq {

/// PyTorch's DTypeConfig.
struct dtype_config_record {
  dtype_with_constraints_record input_dtype{};
  dtype_with_constraints_record output_dtype{};
  dtype_with_constraints_record weight_dtype{};
  dtype bias_dtype = dtype::none;
  bool is_dynamic = false;

  friend constexpr bool operator==(const dtype_config_record&,
                                   const dtype_config_record&) = default;
};

template <class Constraints>
struct input_dtype {
  static constexpr void apply(dtype_config_record& r) { r.input_dtype = Constraints::value; }
};

template <class Constraints>
struct output_dtype {
  static constexpr void apply(dtype_config_record& r) { r.output_dtype = Constraints::value; }
};

template <class Constraints>
struct weight_dtype {
  static constexpr void apply(dtype_config_record& r) { r.weight_dtype = Constraints::value; }
};

template <dtype Dtype>
struct bias_dtype {
  static constexpr void apply(dtype_config_record& r) { r.bias_dtype = Dtype; }
};

struct is_dynamic {
  static constexpr void apply(dtype_config_record& r) { r.is_dynamic = true; }
};

/// A DTypeConfig as a type: parts in any order.
template <class... Part>
struct dtype_config {
  static constexpr dtype_config_record value = [] {
    dtype_config_record r;
    (Part::apply(r), ...);
    return r;
  }();
};

}  // namespace ctq
