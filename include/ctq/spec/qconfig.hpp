// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/spec/observer.hpp"

// How one node is to be quantized: an observer for its activations, one for its weight.

namespace ctq {

/// PyTorch's QConfig, and beyond it an observer for the output where it is not to be quantized as
/// the inputs are: integers in, floats out.
struct qconfig_record {
  observer_record activation{};
  observer_record weight{};
  observer_record output{};  // none: as activation

  [[nodiscard]] constexpr const observer_record& for_output() const {
    return output.type == observer_class::none ? activation : output;
  }

  friend constexpr bool operator==(const qconfig_record&, const qconfig_record&) = default;
};

/// "The same for the output."
struct as_activation {
  static constexpr observer_record value{};
};

template <class Activation, class Weight, class Output = as_activation>
struct qconfig {
  static constexpr bool quantizes = true;
  static constexpr qconfig_record value{Activation::value, Weight::value, Output::value};
};

/// "Leave it in float": PyTorch's None.
struct qconfig_none {
  static constexpr bool quantizes = false;
  static constexpr qconfig_record value{};
};

}  // namespace ctq
