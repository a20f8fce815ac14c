// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>

// The parameters of a model, as optimizers change them.

namespace ctq::training {

/// A parameter that an optimizer changes: a tensor of the model, or the scales or zero points of a
/// learnable fake quantize.
///
/// Lifetime  views of the model; valid until its next forward
struct parameter_view {
  std::string_view name;
  std::span<float> value;
  std::span<const float> gradient;  // as many elements
};

}  // namespace ctq::training
