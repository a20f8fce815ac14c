// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/containers/span.hpp"

// The parameters of a model, as optimizers change them.

namespace ctq::training {

/// A parameter that an optimizer changes: a tensor of the model, or the scales or zero points of a
/// learnable fake quantize.
///
/// Lifetime  views of the model; valid until its next forward
struct parameter_view {
  std::string_view name;
  span<float> value;
  span<const float> gradient;  // as many elements
};

}  // namespace ctq::training
