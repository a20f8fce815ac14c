// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/spec/observer.hpp"

// How one node is to be quantized: an observer for its activations, one for its weight.

namespace ctq {

/// PyTorch's QConfig.
struct qconfig_record {
  observer_record activation{};
  observer_record weight{};

  friend constexpr bool operator==(const qconfig_record&, const qconfig_record&) = default;
};

template <class Activation, class Weight>
struct qconfig {
  static constexpr bool quantizes = true;
  static constexpr qconfig_record value{Activation::value, Weight::value};
};

/// "Leave it in float": PyTorch's None.
struct qconfig_none {
  static constexpr bool quantizes = false;
  static constexpr qconfig_record value{};
};

}  // namespace ctq
