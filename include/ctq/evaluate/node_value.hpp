// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/evaluate/quantized_tensor.hpp"

// The value of a node when a graph is evaluated op by op: floats and other Python values, or
// quantized integers with their scale, or a tuple of these.

namespace ctq {

/// Immutable and cheap to copy: integers are shared.
class node_value {
 public:
  node_value() = default;
  node_value(float_ops::value v) : state_(std::move(v)) {}                     // NOLINT
  node_value(float_ops::tensor t) : state_(float_ops::value(std::move(t))) {}  // NOLINT
  node_value(quantized_tensor t)                                               // NOLINT
      : state_(std::make_shared<const quantized_tensor>(std::move(t))) {}
  node_value(std::vector<node_value> items)  // NOLINT
      : state_(std::make_shared<const std::vector<node_value>>(std::move(items))) {}

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

  /// The values of a tuple with integers in it; null if it is none.
  [[nodiscard]] const std::vector<node_value>* items() const {
    const auto* held = std::get_if<std::shared_ptr<const std::vector<node_value>>>(&state_);
    return held == nullptr ? nullptr : held->get();
  }

  /// The value in floats: integers are dequantized, also those in a tuple.
  [[nodiscard]] float_ops::value real() const {
    if (const quantized_tensor* q = integers()) return dequantize(*q);
    if (const std::vector<node_value>* all = items()) {
      float_ops::list out;
      for (const node_value& v : *all) out.push_back(v.real());
      return out;
    }
    return *std::get_if<float_ops::value>(&state_);
  }

 private:
  std::variant<float_ops::value, std::shared_ptr<const quantized_tensor>,
               std::shared_ptr<const std::vector<node_value>>>
      state_;
};

/// The values with integers dequantized.
[[nodiscard]] inline std::vector<float_ops::value> real_values(
    const std::vector<node_value>& values) {
  std::vector<float_ops::value> out;
  for (const node_value& v : values) out.push_back(v.real());
  return out;
}

}  // namespace ctq
