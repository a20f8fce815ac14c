// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/convolution.hpp"
#include "ctq/evaluate/float_ops/value.hpp"

// The ops that nearly all the time of a model goes to. Whoever has faster loops for them than the
// plain ones of this folder derives from kernel_set; what their arguments mean, and what the
// modules are that consist of them, stays as it is.

namespace ctq::float_ops {

class kernel_set {
 public:
  /// As float_ops::convolution.
  ///   weight, bias  tensors that stay the same from call to call, so that what is derived from
  ///                 them can be kept; bias may be None
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
