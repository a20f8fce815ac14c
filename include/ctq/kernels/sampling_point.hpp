// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

#include "ctq/core/no_contract.hpp"
#include "ctq/core/shapes/resampling_shape.hpp"

// Which inputs a resized axis samples: PyTorch's rules, computed in float32.

namespace ctq::kernels {

/// Two elements of an axis: (1 - weight) * in[a] + weight * in[b].
struct sampling_point {
  int a{}, b{};
  float weight{};

  friend constexpr bool operator==(const sampling_point&, const sampling_point&) = default;
};

/// The coordinate of output i in the input; aligned: with align_corners.
[[nodiscard]] inline float place_of(int i, float scale, bool aligned) {
  const auto at = static_cast<float>(i);
  return aligned ? no_contract(at * scale) : no_contract((at + 0.5F) * scale) - 0.5F;
}

/// The inputs from which output i of an axis of `in` elements is computed, and their weights.
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
  float place = place_of(i, scale, rule == sampling_rule::linear_aligned);
  if (place < 0.0F) place = 0.0F;
  const int a = place < static_cast<float>(last) ? static_cast<int>(place) : last;
  const float weight = place - static_cast<float>(a);
  return {a, a < last ? a + 1 : a, weight > 1.0F ? 1.0F : weight};
}

/// Four neighbours on an axis: Σ weight[k] * in[index[k]]. Indices beyond the ends of the axis are
/// clamped to them.
struct cubic_point {
  int index[4]{};
  float weight[4]{};

  friend constexpr bool operator==(const cubic_point&, const cubic_point&) = default;
};

/// The same for a cubic rule. Weights are rounded to float32 once.
///   scale  input elements per output element
/// Source  PyTorch aten/src/ATen/native/UpSample.h: get_cubic_upsample_coefficients
[[nodiscard]] inline cubic_point cubic_point_of(int i, int in, float scale, sampling_rule rule) {
  constexpr double a = -0.75;
  const int last = in - 1;
  const float place = place_of(i, scale, rule == sampling_rule::cubic_aligned);
  const float whole = ::floorf(place);
  const int before = whole < static_cast<float>(last) ? static_cast<int>(whole) : last;
  const float share = place - static_cast<float>(before);
  const double t = share > 1.0F ? 1.0 : static_cast<double>(share);
  const auto near = [](double x) {  // within one element
    return no_contract(no_contract(no_contract((a + 2) * x) - (a + 3)) * x * x) + 1;
  };
  const auto far = [](double x) {  // within two
    return no_contract((no_contract((no_contract(a * x) - 5 * a) * x) + 8 * a) * x) - 4 * a;
  };
  cubic_point p{{},
                {static_cast<float>(far(t + 1)), static_cast<float>(near(t)),
                 static_cast<float>(near(1 - t)), static_cast<float>(far(2 - t))}};
  for (int k = 0; k < 4; ++k) {
    const int index = before - 1 + k;
    p.index[k] = index < 0 ? 0 : index > last ? last : index;
  }
  return p;
}

/// In double, where products are exact, rounded to float32 once.
[[nodiscard, gnu::always_inline]] inline float interpolated(const cubic_point& p,
                                                            const float (&x)[4]) noexcept {
  double sum = static_cast<double>(p.weight[0]) * static_cast<double>(x[0]);
  for (int k = 1; k < 4; ++k) sum += static_cast<double>(p.weight[k]) * static_cast<double>(x[k]);
  return static_cast<float>(sum);
}

/// In double, rounded to float32 once; the element itself if both are the same.
[[nodiscard, gnu::always_inline]] inline float interpolated(const sampling_point& p, float a,
                                                            float b) noexcept {
  if (p.a == p.b) return a;
  const auto weight = static_cast<double>(p.weight);
  return static_cast<float>(no_contract((1.0 - weight) * static_cast<double>(a)) +
                            no_contract(weight * static_cast<double>(b)));
}

/// The point of output i of an axis, a sampling_point or a cubic_point.
template <class Point>
[[nodiscard]] Point point_of(int i, int in, float scale, sampling_rule rule) {
  if constexpr (std::same_as<Point, cubic_point>) {
    return cubic_point_of(i, in, scale, rule);
  } else {
    return sampling_point_of(i, in, scale, rule);
  }
}

}  // namespace ctq::kernels
