// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/evaluate/float_ops/convolution.hpp"
#include "ctq/evaluate/float_ops/kernel_set.hpp"
#include "ctq/evaluate/float_ops/linear.hpp"

namespace ctq::float_ops {

/// The loops of this folder, which accumulate in double.
class plain_kernels final : public kernel_set {
 public:
  [[nodiscard]] result<tensor> convolution(const tensor& in, const value& weight, const value& bias,
                                           const convolution_options& o) const override {
    const auto* w = weight.get_if<tensor>();
    return float_ops::convolution(in, w == nullptr ? tensor{} : *w, bias.get_if<tensor>(), o);
  }

  [[nodiscard]] result<tensor> linear(const tensor& in, const value& weight,
                                      const value& bias) const override {
    const auto* w = weight.get_if<tensor>();
    return float_ops::linear(in, w == nullptr ? tensor{} : *w, bias.get_if<tensor>());
  }
};

inline constexpr plain_kernels plain{};

}  // namespace ctq::float_ops
