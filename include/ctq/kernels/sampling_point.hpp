// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/no_contract.hpp"

// Where a resized axis samples the other one: PyTorch's rules, computed in float32.

namespace ctq::kernels {

/// Two elements of an axis: (1 - weight) * in[a] + weight * in[b].
struct sampling_point {
  int a{}, b{};
  float weight{};

  friend constexpr bool operator==(const sampling_point&, const sampling_point&) = default;
};

/// Of output i of an axis of `in` elements.
///   scale  input elements per output element
/// Source  PyTorch aten/src/ATen/native/UpSample.h: nearest_idx, area_pixel_compute_source_index
[[nodiscard]] inline sampling_point sampling_point_of(int i, int in, float scale,
                                                      sampling_rule rule) {
  const auto at = static_cast<float>(i);
  const int last = in - 1;
  if (rule == sampling_rule::nearest || rule == sampling_rule::nearest_exact) {
    const float place = rule == sampling_rule::nearest ? at * scale : (at + 0.5F) * scale;
    const float whole = ::floorf(place);
    const int index = whole < static_cast<float>(last) ? static_cast<int>(whole) : last;
    return {index, index, 0.0F};
  }
  float place =
      rule == sampling_rule::linear_aligned ? at * scale : no_contract((at + 0.5F) * scale) - 0.5F;
  if (place < 0.0F) place = 0.0F;
  const int a = place < static_cast<float>(last) ? static_cast<int>(place) : last;
  const float weight = place - static_cast<float>(a);
  return {a, a < last ? a + 1 : a, weight > 1.0F ? 1.0F : weight};
}

/// In double, rounded to float32 once; the element itself if both are the same.
[[nodiscard, gnu::always_inline]] inline float interpolated(const sampling_point& p, float a,
                                                            float b) noexcept {
  if (p.a == p.b) return a;
  const auto weight = static_cast<double>(p.weight);
  return static_cast<float>(no_contract((1.0 - weight) * static_cast<double>(a)) +
                            no_contract(weight * static_cast<double>(b)));
}

}  // namespace ctq::kernels
