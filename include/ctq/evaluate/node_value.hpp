// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"

// The value of a node when a graph is evaluated op by op: floats and other Python values, or
// quantized integers with their scale.

namespace ctq {

class node_value {
 public:
  node_value() = default;
  node_value(float_ops::value v) : state_(std::move(v)) {}                     // NOLINT
  node_value(float_ops::tensor t) : state_(float_ops::value(std::move(t))) {}  // NOLINT
  node_value(quantized_tensor t)                                               // NOLINT
      : state_(std::make_shared<const quantized_tensor>(std::move(t))) {}

  /// The integers; null if it has none.
  [[nodiscard]] const quantized_tensor* integers() const {
    const auto* held = std::get_if<std::shared_ptr<const quantized_tensor>>(&state_);
    return held == nullptr ? nullptr : held->get();
  }

  /// The same, shared.
  [[nodiscard]] std::shared_ptr<const quantized_tensor> share_integers() const {
    const auto* held = std::get_if<std::shared_ptr<const quantized_tensor>>(&state_);
    return held == nullptr ? nullptr : *held;
  }

  /// The value in floats: integers are dequantized.
  [[nodiscard]] float_ops::value real() const {
    if (const quantized_tensor* q = integers()) return dequantize(*q);
    return *std::get_if<float_ops::value>(&state_);
  }

 private:
  std::variant<float_ops::value, std::shared_ptr<const quantized_tensor>> state_;
};

}  // namespace ctq
