// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/convolution.hpp"
#include "ctq/evaluate/float_ops/value.hpp"

// Interface for the ops that dominate a model's run time. Derive from it to provide faster loops
// than the plain ones of this folder. Interpretation of arguments and modules that contain these
// ops are not affected.

namespace ctq::float_ops {

class kernel_set {
 public:
  /// As float_ops::convolution.
  ///   weight, bias  tensors that usually are the same in each call, so that data derived from
  ///                them can be cached; bias may be None
  [[nodiscard]] virtual result<tensor> convolution(const tensor& in, const value& weight,
                                                   const value& bias,
                                                   const convolution_options& o) const = 0;

  /// As float_ops::linear.
  [[nodiscard]] virtual result<tensor> linear(const tensor& in, const value& weight,
                                              const value& bias) const = 0;

 protected:
  kernel_set() = default;
  kernel_set(const kernel_set&) = default;
  kernel_set& operator=(const kernel_set&) = default;
  ~kernel_set() = default;
};

}  // namespace ctq::float_ops
