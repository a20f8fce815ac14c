// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

#include "ctq/spec/observer.hpp"

// The quantization of a node: an observer for its activations and one for its weight.

namespace ctq {

/// PyTorch's QConfig, extended by an optional observer for the output where it is not quantized as
/// the inputs, such as integers in, floats out.
struct qconfig_record {
  observer_record activation{};
  observer_record weight{};
  observer_record output{};  // none: as activation

  [[nodiscard]] constexpr const observer_record& for_output() const {
    return output.type == observer_class::none ? activation : output;
  }

  friend constexpr bool operator==(const qconfig_record&, const qconfig_record&) = default;
};

/// The output has the activation's observer.
struct as_activation {
  static constexpr observer_record value{};
};

/// The record of a type that is not an observer, which validate reports: a fake quantize of
/// nothing.
inline constexpr observer_record not_an_observer{.fake_quantize =
                                                     fake_quantize_class::fake_quantize};

/// The record of an observer type; of another type, not_an_observer.
template <class Observer>
constexpr observer_record record_of() {
  if constexpr (requires {
                  requires std::same_as<decltype(Observer::value), const observer_record>;
                })
    return Observer::value;
  else
    return not_an_observer;
}

/// A qconfig as a type.
template <class Activation, class Weight, class Output = as_activation>
struct qconfig {
  static constexpr bool quantizes = true;
  static constexpr qconfig_record value{record_of<Activation>(), record_of<Weight>(),
                                        record_of<Output>()};
};

/// The node stays in float: PyTorch's None.
struct qconfig_none {
  static constexpr bool quantizes = false;
  static constexpr qconfig_record value{};
};

}  // namespace ctq
