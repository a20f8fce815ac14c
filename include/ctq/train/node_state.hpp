// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ctq/core/shape.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/train/layer.hpp"

// What training stores for each node: its value for the batch, the gradient of that, and what
// backward needs of the last forward.

namespace ctq::training {

template <class Isa>
struct node_state {
  ctq::shape shape{};
  std::vector<float> value, gradient;
  bool has_gradient = false;    // in this backward
  bool needs_gradient = false;  // a parameter comes before it
  std::optional<training::layer<Isa>> layer{};
  std::optional<trained_norm> norm{};
  std::vector<std::uint32_t> chosen{};        // max pools
  std::vector<float> factors{};               // dropout; empty: it did nothing
  observers::per_channel_qparams rounding{};  // fake quantizes, of the last forward
  bool rounded = false;                       // they were enabled in it

  /// The gradient, to which others are added; zero at first.
  [[nodiscard]] float* writable_gradient() {
    if (!has_gradient) gradient.assign(value.size(), 0.0F);
    has_gradient = true;
    return gradient.data();
  }
  /// The same, or null if nothing before the node is trained.
  [[nodiscard]] float* wanted_gradient() { return needs_gradient ? writable_gradient() : nullptr; }
};

}  // namespace ctq::training
