// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/passes/schedule/step.hpp"

// What the kernel of each step on integers is compiled for. The outputs are the same either way;
// the choice decides how long the program compiles and how fast a small layer is.

namespace ctq::scheduling {

/// How large a step is, and what limits the speed of its kernel.
struct layer_size {
  std::int64_t products{};  // of a layer, or 0
  bool depthwise = false;
  bool grouped = false;  // several groups, but not depthwise
  bool uneven = false;   // linear, the outputs do not fill registers
};

[[nodiscard]] constexpr layer_size layer_size_of(const conv2d_shape& s) {
  const bool depthwise = s.depthwise();
  return {std::int64_t{s.batch} * s.out_h() * s.out_w() * s.out_channels * s.kernel_h * s.kernel_w *
              s.in_group(),
          depthwise, s.groups > 1 && !depthwise};
}

[[nodiscard]] constexpr layer_size layer_size_of(const linear_shape& s) {
  return {.products = std::int64_t{s.rows} * s.in_features * s.out_features,
          .uneven = s.out_features % 16 != 0};
}

[[nodiscard]] constexpr layer_size layer_size_of(const kernel_signature& signature) {
  if (signature.kernel == kernel::conv2d) return layer_size_of(signature.as<conv2d_shape>());
  if (signature.kernel == kernel::linear) return layer_size_of(signature.as<linear_shape>());
  return {};
}

/// A layer of fewer products is compiled for its extents: a call is so short that reading them
/// takes a noticeable part of it.
inline constexpr std::int64_t fewest_shared_products = 300'000;
/// The same for linear layers whose outputs do not fill registers: the last outputs take a panel of
/// their own (AVX512-VNNI, Zen 5: 33x130x127 takes 35 % longer, 100x10x784 20 %).
inline constexpr std::int64_t fewest_shared_uneven_products = 1'000'000;
/// The same for depthwise convolutions: in small images most tiles are at an edge (192 channels @28
/// on Zen 5 take 19 % longer, 960 channels @7 take 57 %).
inline constexpr std::int64_t fewest_shared_depthwise_products = 1'500'000;

/// The code of a step: large layers, and steps that are no layers, share the code for run-time
/// extents. Convolutions in several groups never do: their loops are short.
[[nodiscard]] constexpr kernel_code_kind chosen_code(const layer_size& size) {
  const std::int64_t fewest = size.depthwise ? fewest_shared_depthwise_products
                              : size.uneven  ? fewest_shared_uneven_products
                                             : fewest_shared_products;
  const bool small = 0 < size.products && size.products < fewest;
  return small || size.grouped ? kernel_code_kind::specialized : kernel_code_kind::shared;
}

}  // namespace ctq::scheduling
