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
/// takes a noticeable part of it (Zen 3, AVX2, time of the shared kernel: 3x3, 1 to 8 channels @28
/// 123 %, 8x16x32 190 %, 8 to 16 channels @14 105 %; of larger layers 100 % on average).
inline constexpr std::int64_t fewest_shared_products = 250'000;
/// The same of depthwise convolutions: in small images most tiles are at an edge (3x3 @14 115 %,
/// @7 130 % and more; @56 95 %, @112 91 %).
inline constexpr std::int64_t fewest_shared_depthwise_products = 1'200'000;

[[nodiscard]] constexpr bool is_depthwise(const kernel_signature& key) {
  return key.kernel == kernel::conv2d && key.as<conv2d_shape>().depthwise();
}

/// Convolutions of several groups that are not depthwise: they have few products for each pixel of
/// a group, and their loops are short (128 channels in 32 groups @28: the shared kernel 155 %).
[[nodiscard]] constexpr bool is_grouped(const kernel_signature& key) {
  return key.kernel == kernel::conv2d && key.as<conv2d_shape>().groups > 1 && !is_depthwise(key);
}

/// The code of a step by itself: large layers and all other kernels share the code of run-time
/// extents.
[[nodiscard]] constexpr code_for chosen_code(const kernel_signature& key) {
  if (key.kernel != kernel::conv2d && key.kernel != kernel::linear) return code_for::types;
  const std::int64_t fewest =
      is_depthwise(key) ? fewest_shared_depthwise_products : fewest_shared_products;
  return products_of(key) < fewest || is_grouped(key) ? code_for::extents : code_for::types;
}

/// A plan has at most as many depthwise kernels for extents; with more, all are shared. Without its
/// six MobileNetV2 takes g++ 12 9 s and 236 MB less to compile.
inline constexpr int most_specialized_depthwise = 3;

/// Sets the code of all steps on integers of a plan.
template <class Steps>
constexpr void choose_codes(Steps& steps, int count) {
  int depthwise = 0;  // that have different code
  for (int s = 0; s < count; ++s) {
    const kernel_signature& key = steps[s].key;
    steps[s].code = chosen_code(key);
    if (steps[s].code == code_for::types || !is_depthwise(key)) continue;
    bool is_new = true;
    for (int other = 0; other < s && is_new; ++other) is_new = !(steps[other].key == key);
    depthwise += is_new ? 1 : 0;
  }
  if (depthwise <= most_specialized_depthwise) return;
  for (int s = 0; s < count; ++s)
    if (is_depthwise(steps[s].key)) steps[s].code = code_for::types;
}

}  // namespace ctq::scheduling
