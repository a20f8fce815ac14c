// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "tensors.hpp"

// Values of the golden models as those that ctq evaluates with, and their comparison.

namespace golden {

/// A tensor, or integers with their scale: {"q": …, "scale": …, "zero_point": …, "dtype": …}.
[[nodiscard]] ctq::node_value value_from(const suite_file& file, const json& j);
[[nodiscard]] std::vector<ctq::node_value> values_from(const suite_file& file, const json& list);

/// A state_dict.
[[nodiscard]] ctq::module_state modules_from(const suite_file& file, const json& params);

/// A tensor of a state_dict; null if there is none of that path.
[[nodiscard]] const ctq::float_ops::tensor* tensor_at(const ctq::module_state& modules,
                                                      const std::string& path);

/// {"scale": …, "zero_point": …}, numbers or tensors.
///   axis  -1: one for all
[[nodiscard]] ctq::tensor_qparams tensor_qparams_from(const suite_file& file, ctq::dtype dtype,
                                                      int axis, const json& scale,
                                                      const json& zero_point);

/// How two outputs differ.
struct output_difference {
  std::string problem;     // another number of tensors or another shape
  double largest = 0.0;    // of the absolute differences
  double magnitude = 0.0;  // largest absolute value that is wanted
  std::size_t differing = 0;
  std::size_t elements = 0;
  double sum = 0.0;  // of the signed differences

  /// Is each element within that part of the largest value?
  [[nodiscard]] bool within(double part) const {
    return problem.empty() && largest <= part * (magnitude > 1.0 ? magnitude : 1.0);
  }
  /// Is each element within that difference, but not most of them by it in one direction?
  [[nodiscard]] bool is_rounding(double most) const {
    return problem.empty() && largest <= most &&
           std::abs(sum) <= static_cast<double>(elements) * most / 2;
  }
  [[nodiscard]] std::string words() const;
};

/// Wanted is a tensor, integers, or a list or dict of them.
[[nodiscard]] output_difference compare_outputs(const suite_file& file, const json& wanted,
                                                const ctq::node_value& got);

}  // namespace golden
