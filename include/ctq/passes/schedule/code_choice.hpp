// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/passes/schedule/step.hpp"

// What the kernel of each step on integers is compiled for. The outputs are the same either way;
// the choice decides how long the program compiles and how fast a small layer is.

namespace ctq::scheduling {

/// Products of a layer, or 0.
[[nodiscard]] constexpr std::int64_t products_of(const kernel_signature& key) {
  if (key.kernel == kernel::linear) {
    const auto s = key.as<linear_shape>();
    return std::int64_t{s.rows} * s.in_features * s.out_features;
  }
  if (key.kernel != kernel::conv2d) return 0;
  const auto s = key.as<conv2d_shape>();
  return std::int64_t{s.batch} * s.out_h() * s.out_w() * s.out_channels * s.kernel_h * s.kernel_w *
         s.in_group();
}

/// A layer of fewer products is compiled for its extents: a call is so short that reading them
/// takes a noticeable part of it.
inline constexpr std::int64_t fewest_products_of_shared_code = 1'000'000;

/// Large layers and all other kernels share the code of run-time extents.
[[nodiscard]] constexpr code_for chosen_code(const kernel_signature& key) {
  const bool layer = key.kernel == kernel::conv2d || key.kernel == kernel::linear;
  return layer && products_of(key) < fewest_products_of_shared_code ? code_for::extents
                                                                    : code_for::types;
}

}  // namespace ctq::scheduling
