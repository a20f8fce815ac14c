// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

// Learning rates that change while a model is trained.

namespace ctq {

/// From `initial` at step 0 to `minimum` at step `steps`, along half a cosine; `minimum`
/// afterwards.
///
/// Source  PyTorch torch.optim.lr_scheduler.CosineAnnealingLR
struct cosine_schedule {
  float initial{};
  std::int64_t steps{};
  float minimum = 0.0F;

  /// The learning rate in this step; that of step 0 before it.
  [[nodiscard]] float at(std::int64_t step) const {
    if (step >= steps) return minimum;
    const double part = static_cast<double>(step < 0 ? 0 : step) / static_cast<double>(steps);
    const double height = (1.0 + std::cos(std::numbers::pi * part)) / 2.0;
    return static_cast<float>(static_cast<double>(minimum) +
                              (static_cast<double>(initial) - static_cast<double>(minimum)) *
                                  height);
  }
};

}  // namespace ctq
